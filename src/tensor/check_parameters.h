#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/parameters.h"

namespace cavs::inline v0_1 {

inline constexpr std::int64_t kMaxNumbers = std::int64_t{1} << 40;  // maximum size of one parameter

/// Describes the first difference of two lists of parameters: their number, or a name, a shape or a kind. Empty if
/// there is none; initial values are not compared.
std::string first_difference(const std::vector<ParameterInfo>& given, const std::vector<ParameterInfo>& expected);

/// Checks that a set from the caller matches `expected`. Cheap if both were made from the same Parameters.
/// @param what    the set, as in "the gradients given to Run::backward"
/// @param remedy  how to make a matching set
/// @throws UserError naming the first difference.
void check_parameters(const Parameters::List& given, const Parameters::List& expected, std::string_view what,
                      std::string_view remedy = "make both of one model");

/// The same for gradients, and checks their sizes, which a caller may have changed. For gradients that were filled by
/// hand only sizes are checked.
void check_gradients(const Gradients& given, const Parameters::List& expected, std::string_view what);

}  // namespace cavs::inline v0_1
