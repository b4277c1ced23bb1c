#include "data/text.h"

#include <algorithm>
#include <cstring>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::size_t kExcerpt = 40;

/// Bytes of the well-formed character that starts here, or 0. The second byte's range depends on the first one: that
/// is what rules out overlong forms, surrogates and code points above U+10FFFF.
std::size_t utf8_length(const unsigned char* c, std::size_t left) {
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

bool eight_ascii(const unsigned char* c) {
  std::uint64_t word = 0;
  std::memcpy(&word, c, sizeof word);
  return (word & 0x8080808080808080U) == 0;
}

}  // namespace

std::size_t find_invalid_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  for (std::size_t i = 0; i < text.size();) {
    if (text.size() - i >= 8 && eight_ascii(bytes + i)) {
      i += 8;
      continue;
    }
    const std::size_t length = utf8_length(bytes + i, text.size() - i);
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string_view checked_text(std::string_view text, const std::string& name, std::int64_t first_line) {
  const std::size_t nul = text.find('\0'), invalid = find_invalid_utf8(text);
  const std::size_t bad = std::min(nul, invalid);
  if (bad != text.npos) {
    const auto line = first_line + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n');
    user_check(bad != nul, "{}:{}: expected text, found a NUL byte", name, line);
    user_error("{}:{}: expected UTF-8, found the byte 0x{:02X}; convert the file (iconv -t UTF-8)", name, line,
               static_cast<unsigned char>(text[bad]));
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

std::string_view take_part(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

std::vector<std::string_view> split_tabs(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string_view> columns;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    columns.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return columns;
}

std::string excerpt(std::string_view text) {
  std::size_t length = std::min(text.size(), kExcerpt);
  while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  std::string shown(text.substr(0, length));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  for (auto bad = find_invalid_utf8(shown); bad != shown.npos; bad = find_invalid_utf8(shown)) shown[bad] = '?';
  return length < text.size() ? shown + "..." : shown;
}

}  // namespace cavs::inline v0_1
