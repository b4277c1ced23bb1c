#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/parameters.h"

namespace cavs::inline v0_1 {

inline constexpr std::int64_t kMaxNumbers = std::int64_t{1} << 40;  // of one parameter

/// What two lists of parameters first differ in: their number, or a name, a shape or the kind at one place. Empty where
/// they are the same; initial values do not count.
std::string first_difference(const std::vector<ParameterInfo>& given, const std::vector<ParameterInfo>& expected);

/// Whether a set that comes from outside belongs to what it is used with; the one check for all of them. Cheap where
/// both were made of the same Parameters.
/// @param what    as in "the gradients given to Run::backward"
/// @param remedy  where the right ones come from
/// @throws UserError naming the first difference.
void check_parameters(const Parameters::List& given, const Parameters::List& expected, std::string_view what,
                      std::string_view remedy = "make both of one model");

/// The same of gradients, and whether they have the sizes they were made with, for a caller may write into them. Of
/// gradients that were filled by hand the sizes alone tell.
void check_gradients(const Gradients& given, const Parameters::List& expected, std::string_view what);

}  // namespace cavs::inline v0_1
