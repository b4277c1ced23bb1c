#pragma once

#include <cstdint>
#include <string>

#include "data/gzip_file.h"

namespace cavs::inline v0_1 {

/// Reads a text file, or a gzip of one, from its beginning to its end, as often as it is wanted.
class TextReader {
 public:
  /// @throws UserError if the file cannot be opened.
  explicit TextReader(std::string path);

  const std::string& path() const { return path_; }
  /// Appends up to a MiB to `text`; false at the end. @throws UserError if the file is cut off or damaged.
  bool read_block(std::string& text);
  /// The next lines, whole but for a last one without an end, about a MiB of them or one that is longer; empty at the
  /// end. @throws UserError if a line is longer than `max_bytes`.
  std::string next_lines(std::int64_t max_bytes = std::int64_t{2} << 30);
  /// How much of the file has been read, from 0 to 1; 0 where that is not known.
  double share() const;
  /// @throws UserError as check_unchanged() does, or of a pipe.
  void rewind();

 private:
  /// What tells that a file was written to.
  struct State {
    std::int64_t size = 0, seconds = 0, nanoseconds = 0;
    bool operator==(const State&) const = default;
  };
  State state() const;
  /// @throws UserError if the file has been written to, or another one has its name, since this reader was made.
  void check_unchanged() const;

  std::string path_;
  GzipFile file_;
  State opened_;      // as it was then
  std::string rest_;  // of a line that has begun
};

}  // namespace cavs::inline v0_1
