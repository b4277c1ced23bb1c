#pragma once

#include <string>
#include <vector>

#include "ir/function.h"

namespace cavs::inline v0_1 {

/// The operators from outside the library that the functions use, a line each, and nothing where there are none:
///
///     operators
///       swish(x0) = x0 * sigmoid(x0)
///         dx0 = dy * (...)
std::string operators_to_text(const std::vector<Function>& functions);

}  // namespace cavs::inline v0_1
