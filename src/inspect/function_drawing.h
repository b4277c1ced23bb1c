#pragma once

#include <span>
#include <string>

#include "compile/stages.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// A vertex function as an SVG: a box for each value, what it is computed of above it; filled by stage, if `stages` are
/// those of find_stages. `gradient`: with ∂F, where it has been derived; its boxes have a broken border.
/// @throws UserError for more than kMaxDrawn values.
std::string to_svg(const Function& f, std::span<const Stage> stages, bool gradient = false);

}  // namespace cavs::inline v0_1
