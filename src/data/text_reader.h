#pragma once

#include <cstdint>
#include <string>

#include "data/gzip_file.h"

namespace cavs::inline v0_1 {

/// Reads a text file, or its gzip, from beginning to end, any number of times.
class TextReader {
 public:
  /// @throws UserError if the file cannot be opened.
  explicit TextReader(std::string path);

  const std::string& path() const { return path_; }
  /// Appends up to 1 MiB to `text`. Returns false at the end. @throws UserError if the file is cut off or damaged.
  bool read_block(std::string& text);
  /// Returns the next whole lines (the last line may lack its end): about 1 MiB, or one longer line. Empty at the end.
  /// @throws UserError if a line is longer than `max_bytes`.
  std::string next_lines(std::int64_t max_bytes = std::int64_t{2} << 30);
  /// Returns the share of the file that has been read, from 0 to 1; 0 if unknown.
  double share() const;
  /// Goes back to the beginning. @throws UserError as check_unchanged(), or for a pipe.
  void rewind();

 private:
  /// Properties of a file that change when the file is written.
  struct State {
    std::int64_t size = 0, seconds = 0, nanoseconds = 0;
    bool operator==(const State&) const = default;
  };
  State state() const;
  /// @throws UserError if, since this reader was constructed, the file was written or another file got its name.
  void check_unchanged() const;

  std::string path_;
  GzipFile file_;
  State opened_;      // state of the file when the reader was constructed
  std::string rest_;  // bytes that were read after the last whole line
};

}  // namespace cavs::inline v0_1
