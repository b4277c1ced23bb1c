#pragma once

#include <string>
#include <vector>

#include "ir/function.h"

namespace cavs::inline v0_1 {

/// The user-defined operators of the functions, one line each; empty if there are none:
///
///     operators
///       swish(x0) = x0 * sigmoid(x0)
///         dx0 = dy * (...)
std::string operators_to_text(const std::vector<Function>& functions);

}  // namespace cavs::inline v0_1
