#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/parameters.h"

namespace cavs::inline v0_1 {

inline constexpr std::int64_t kMaxNumbers = std::int64_t{1} << 40;  // maximum number of floats of one parameter

/// Returns a description of the first difference of two lists of parameters (in number, or in a name, shape or kind);
/// empty if there is none. Initial values are not compared.
std::string first_difference(const std::vector<ParameterInfo>& given, const std::vector<ParameterInfo>& expected);

/// Checks that a set from the caller matches `expected`. Constant time if both are of the same Parameters.
/// @param what    the set, as in "the gradients given to Run::backward"
/// @param remedy  how to make a matching set
/// @throws UserError that describes the first difference.
void check_parameters(const Parameters::List& given, const Parameters::List& expected, std::string_view what,
                      std::string_view remedy = "make both of one model");

/// Checks gradients as check_parameters does, and also their sizes, which a caller may have changed. If the caller
/// filled the gradients by hand, only sizes are checked.
void check_gradients(const Gradients& given, const Parameters::List& expected, std::string_view what);

}  // namespace cavs::inline v0_1
