#pragma once

#include <cstdint>
#include <string>

#include "cavs/graph.h"
#include "inspect/tree_drawing.h"

namespace cavs::inline v0_1 {

/// A sample as an SVG: roots at the top, edges from child to parent, a colour for each type. Beside a vertex stands its
/// word, inside of it its label; its type and number are shown where a pointer rests on it.
/// @throws UserError for more than kMaxDrawn vertices.
std::string to_svg(const GraphSet& graphs, std::int32_t sample, const VertexNotes& notes);

}  // namespace cavs::inline v0_1
