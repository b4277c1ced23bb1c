#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/utf8.h"

namespace cavs::inline v0_1 {

/// Removes the text up to and including the next separator (or all text), and returns it without the separator.
std::string_view take_part(std::string_view& text, char separator);

/// Splits a line at its tabs, without its carriage return.
std::vector<std::string_view> split_tabs(std::string_view line);

/// Returns an excerpt of input for a message: at most 40 bytes, without control characters.
std::string excerpt(std::string_view text);

}  // namespace cavs::inline v0_1
