#pragma once

#include <map>
#include <string>
#include <string_view>

#include "law/laws.h"

namespace cavs::law {

/// Every member of the options as text, by struct and name. A new member of these structs does not compile until
/// members.cc names it, and fails the test until a dimension draws it or `not_drawn` gives a reason.
std::map<std::string, std::string> members(const LawOptions& options);
const std::map<std::string_view, std::string_view>& not_drawn();

}  // namespace cavs::law
