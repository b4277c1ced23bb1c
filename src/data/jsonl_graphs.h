#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/jsonl_line.h"

namespace cavs::inline v0_1 {

/// Joins the graphs of a sample into one: their vertices in order, then the vertex of `top` (if given), whose children
/// are the roots of the graphs. A port that a graph lacks is absent at its vertices.
/// @throws UserError that starts with `where` if there is no graph, `top` is not one vertex, or a port has two forms.
JsonlLine join_graphs(std::vector<JsonlLine> graphs, std::optional<JsonlLine> top, const std::string& where);

}  // namespace cavs::inline v0_1
