#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cavs::inline v0_1 {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Position of the first byte that is not well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates), or npos.
std::size_t find_invalid_utf8(std::string_view text);

/// The text without a byte order mark. @throws UserError ("name:line: ...") on a NUL byte or invalid UTF-8.
std::string_view checked_text(std::string_view text, const std::string& name, std::int64_t first_line = 1);

/// Takes what stands before the next separator, and that, off a text; the rest of it where there is none.
std::string_view take_part(std::string_view& text, char separator);

/// What stands between the tabs of a line, its carriage return left out.
std::vector<std::string_view> split_tabs(std::string_view line);

/// A piece of input fit for a message: at most 40 bytes, no control characters.
std::string excerpt(std::string_view text);

}  // namespace cavs::inline v0_1
