#pragma once

#include <string>
#include <vector>

#include "ir/function.h"

namespace cavs::inline v0_1 {

/// Returns the user-defined operators of the functions, with the gradients of their inputs; empty if there are none:
///
///     operators
///       swish(x0) = x0 * sigmoid(x0)
///         dx0 = dy * (...)
std::string operators_to_text(const std::vector<Function>& functions);

}  // namespace cavs::inline v0_1
