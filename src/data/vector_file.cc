#include "data/vector_file.h"

#include <algorithm>

#include "support/check.h"

namespace cavs {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 23;

}  // namespace

std::string_view VectorFile::peek(std::size_t count) {
  if (bytes_.size() - at_ < count) {
    bytes_.erase(0, at_);
    at_ = 0;
    while (bytes_.size() < count && reader_.read_block(bytes_)) {
    }
  }
  return std::string_view(bytes_).substr(at_, count);
}

std::optional<std::string_view> VectorFile::take(std::size_t count) {
  const std::string_view bytes = peek(count);
  if (bytes.size() < count) return std::nullopt;
  at_ += count;
  return bytes;
}

std::optional<std::string_view> VectorFile::take_until(char end, std::size_t most) {
  std::size_t at = std::string_view::npos, searched = 0;
  for (std::size_t count = 256; at == std::string_view::npos; count = std::min(4 * count, most)) {
    const std::string_view bytes = peek(count);
    at = bytes.find(end, searched);
    searched = bytes.size();
    if (at == bytes.npos && (count == most || bytes.size() < count)) return std::nullopt;
  }
  const std::string_view taken = std::string_view(bytes_).substr(at_, at);
  at_ += at + 1;
  return taken;
}

std::optional<std::string_view> VectorFile::take_line() {
  if (const auto line = take_until('\n', kLongestLine)) return line;
  const std::string_view rest = peek(kLongestLine);
  user_check(rest.size() < kLongestLine, "{}: a line is longer than {} bytes; expected a word and its numbers", path(),
             kLongestLine);
  return rest.empty() ? std::nullopt : take(rest.size());
}

}  // namespace cavs
