#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/utf8.h"

namespace cavs::inline v0_1 {

/// Takes what stands before the next separator, and that, off a text; the rest of it where there is none.
std::string_view take_part(std::string_view& text, char separator);

/// What stands between the tabs of a line, its carriage return left out.
std::vector<std::string_view> split_tabs(std::string_view line);

/// A piece of input fit for a message: at most 40 bytes, no control characters.
std::string excerpt(std::string_view text);

}  // namespace cavs::inline v0_1
