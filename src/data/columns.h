#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cavs::inline v0_1 {

// Functions of readers of texts whose lines are divided into columns.

/// Removes the next line from `text` and returns it without byte order marks before and a carriage return after it.
/// @param number  number of the line, for messages
/// @throws UserError ("name:line: ...") for a carriage return inside the line, where only some programs end a line.
std::string_view take_line(std::string_view& text, const std::string& name, std::int64_t number);

/// Splits a line into columns. If the line has a tab, only tabs separate columns, and blanks around a column are
/// removed. Otherwise blanks separate columns. A line of only blanks and tabs has no columns.
void split_columns(std::string_view line, std::vector<std::string_view>& columns);

/// True if the text means "no label": empty, "_" or "-1". All readers of labels use this function.
inline bool is_no_label(std::string_view text) { return text.empty() || text == "_" || text == "-1"; }

/// True if the text consists of digits without leading zeros. "01" is a name, not the integer 1.
bool is_plain_integer(std::string_view text);

}  // namespace cavs::inline v0_1
