#pragma once

#include <span>
#include <string>

#include "compile/stages.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// A vertex function as an SVG: a box for each value, below the boxes of its inputs. If `stages` are given
/// (find_stages), boxes are filled by stage. `gradient`: true to draw ∂F, too, if it has been derived, in boxes with a
/// broken border.
/// @throws UserError for more than kMaxDrawn values.
std::string to_svg(const Function& f, std::span<const Stage> stages, bool gradient = false);

}  // namespace cavs::inline v0_1
