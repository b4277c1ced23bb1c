#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "data/text_reader.h"

namespace cavs {

/// The bytes of a file in which text and binary follow each other; only a part of it is in memory.
class VectorFile {
 public:
  explicit VectorFile(std::string path) : reader_(std::move(path)) {}

  const std::string& path() const { return reader_.path(); }
  /// The next bytes, up to `count` of them, without taking them. Valid until the next call, as all that follow.
  std::string_view peek(std::size_t count);
  /// Takes the next `count` bytes; none where there are not as many.
  std::optional<std::string_view> take(std::size_t count);
  /// Takes the bytes up to the next `end`, and that; none where it is not among the next `most`.
  std::optional<std::string_view> take_until(char end, std::size_t most);
  /// Takes a line, without its end; none at the end of the file. @throws UserError if it is overlong.
  std::optional<std::string_view> take_line();

 private:
  TextReader reader_;
  std::string bytes_;
  std::size_t at_ = 0;  // of those that are taken
};

}  // namespace cavs
