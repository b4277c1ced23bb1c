#pragma once

#include <span>
#include <string>

#include "compile/stages.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// Returns a vertex function as an SVG: a box for each value, below the boxes of its inputs. If `stages` (find_stages)
/// are given, the colour of a box shows its stage. With `gradient`, ∂F is drawn, too, if it has been derived, in boxes
/// with a broken border.
/// @throws UserError for more than kMaxDrawn values.
std::string to_svg(const Function& f, std::span<const Stage> stages, bool gradient = false);

}  // namespace cavs::inline v0_1
