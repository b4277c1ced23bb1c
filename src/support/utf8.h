#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "support/check.h"
#include "support/packing.h"

namespace cavs::inline v0_1 {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

namespace detail {

/// Returns the number of bytes of the well-formed character at `c`, or 0; `left` bytes follow from there. The range of
/// the second byte depends on the first byte, which excludes overlong forms, surrogates and code points above U+10FFFF.
inline std::size_t utf8_length(const unsigned char* c, std::size_t left) {
  if (c[0] < 0x80) return 1;
  const std::size_t length = c[0] >= 0xF0 ? 4 : c[0] >= 0xE0 ? 3 : 2;
  if (c[0] < 0xC2 || c[0] > 0xF4 || left < length) return 0;
  const unsigned char low = c[0] == 0xE0 ? 0xA0 : c[0] == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = c[0] == 0xED ? 0x9F : c[0] == 0xF4 ? 0x8F : 0xBF;
  if (c[1] < low || c[1] > high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (c[i] < 0x80 || c[i] > 0xBF) return 0;
  return length;
}

inline bool eight_ascii(const unsigned char* c) {
  std::uint64_t word = 0;
  std::memcpy(&word, c, sizeof word);
  return (word & 0x8080808080808080U) == 0;
}

}  // namespace detail

/// Returns the position of the first byte that is not well-formed UTF-8 (RFC 3629: no overlong forms or surrogates), or
/// npos.
[[gnu::noinline]] inline std::size_t find_invalid_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  for (std::size_t i = 0; i < text.size();) {
    if (text.size() - i >= 8 && detail::eight_ascii(bytes + i)) {
      i += 8;
      continue;
    }
    const std::size_t length = detail::utf8_length(bytes + i, text.size() - i);
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

/// Returns the text without a byte order mark. @throws UserError ("name:line: ...") on a NUL byte or invalid UTF-8.
inline std::string_view checked_text(std::string_view text, const std::string& name, std::int64_t first_line = 1) {
  const std::size_t nul = text.find('\0'), invalid = find_invalid_utf8(text);
  const std::size_t bad = std::min(nul, invalid);
  if (bad != text.npos) {
    const std::string_view packing = first_line == 1 ? find_packing(text) : std::string_view();
    user_check(packing.empty(), "{}: expected text in UTF-8, or a gzip of it; found {}", name, packing);
    const auto line = first_line + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n');
    user_check(bad != nul,
               "{}:{}: expected text, found a NUL byte; if it is in UTF-16, convert it (iconv -f UTF-16LE -t UTF-8)",
               name, line);
    user_error("{}:{}: expected UTF-8, found the byte 0x{:02X}; convert the file (iconv -f ENCODING -t UTF-8)", name,
               line, static_cast<unsigned char>(text[bad]));
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

}  // namespace cavs::inline v0_1
