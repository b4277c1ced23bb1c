#include "data/text.h"

#include <algorithm>

namespace cavs::inline v0_1 {
namespace {

constexpr std::size_t kExcerpt = 40;

}  // namespace

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
