#pragma once

#include <istream>
#include <streambuf>
#include <string>
#include <utility>

#include "data/text_reader.h"

namespace cavs::inline v0_1 {

/// A text file, or a gzip of one, as a stream. Errors of reading are UserErrors.
class TextFileStream {
 public:
  /// @throws UserError if the file cannot be opened.
  explicit TextFileStream(std::string path) : buffer_(std::move(path)), stream_(&buffer_) {
    stream_.exceptions(std::ios::badbit);  // what the buffer throws reaches the caller
  }

  std::istream& stream() { return stream_; }
  /// How much of the file has been read, from 0 to 1; 0 of a pipe.
  double share() const { return buffer_.reader.share(); }

 private:
  struct Buffer final : std::streambuf {
    explicit Buffer(std::string path) : reader(std::move(path)) {}
    int_type underflow() override {
      block.clear();
      if (!reader.read_block(block)) return traits_type::eof();
      setg(block.data(), block.data(), block.data() + block.size());
      return traits_type::to_int_type(*gptr());
    }
    TextReader reader;
    std::string block;
  };

  Buffer buffer_;
  std::istream stream_;
};

}  // namespace cavs::inline v0_1
