#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cavs::inline v0_1 {

// The readers of lines and columns share these functions.

/// Takes the next line off a text, without byte order marks before it and without a carriage return behind it.
/// @param number  of the line, for messages
/// @throws UserError ("name:line: ...") for a carriage return inside the line, which ends a line to some programs only.
std::string_view take_line(std::string_view& text, const std::string& name, std::int64_t number);

/// Splits a line into columns. In a line with a tab only tabs separate, and blanks around a column are left out;
/// elsewhere blanks separate. A line of blanks and tabs alone has no column.
void split_columns(std::string_view line, std::vector<std::string_view>& columns);

/// True if a label says that there is none: an empty text, "_" or "-1". All readers have this rule.
inline bool is_no_label(std::string_view text) { return text.empty() || text == "_" || text == "-1"; }

/// True if a text is an integer as it is counted: digits without leading zeros. "01" is a name, and not the integer 1.
bool is_plain_integer(std::string_view text);

}  // namespace cavs::inline v0_1
