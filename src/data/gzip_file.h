#pragma once

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/descriptor.h"

namespace cavs::inline v0_1 {

/// Reads the bytes of a file, or the decompressed bytes of all members if the file is a gzip. (gzread of zlib treats a
/// damaged member after the first one as the end of the file.)
class GzipFile {
 public:
  /// @param path  path for messages   @param file  the open file, at its beginning
  GzipFile(std::string path, Descriptor file);
  int descriptor() const { return file_.get(); }
  /// Reads up to `size` bytes; returns 0 at the end. @throws UserError if the file is unreadable, cut off or damaged.
  std::size_t read(char* to, std::size_t size);
  /// Goes back to the beginning. Returns false if that is impossible, as in a pipe.
  bool rewind();
  /// Returns the position in the file, in compressed bytes.
  std::int64_t offset() const { return offset_ - in_->avail_in; }

 private:
  enum class Kind : std::uint8_t { kUnknown, kPlain, kGzip };

  struct EndInflate {
    void operator()(z_stream* stream) const {
      inflateEnd(stream);
      delete stream;
    }
  };

  bool fill();
  bool begins_member();
  std::size_t inflate_some(char* to, std::size_t size);

  std::string path_;
  Descriptor file_;
  std::vector<unsigned char> buffer_;
  std::unique_ptr<z_stream, EndInflate> in_;  // on the heap, because zlib keeps its address
  Kind kind_ = Kind::kUnknown;
  bool is_in_member_ = false;
  std::int64_t offset_ = 0, given_ = 0;
};

}  // namespace cavs::inline v0_1
