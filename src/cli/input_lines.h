#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "cavs/readers.h"

namespace cavs::cli {

/// @throws UserError if standard input ended because it could not be read; right after a read.
void check_input();

/// The lines of standard input or of a text file, a few at a time.
class InputLines {
 public:
  InputLines();  // of standard input
  /// @throws UserError if the file cannot be read. `limit`: so many lines at most; 0: all.
  InputLines(const std::string& path, std::int64_t limit);

  /// `most` or, at the end, fewer. @throws UserError naming the line that is not UTF-8, or if it cannot be read.
  std::vector<std::string> next(std::int64_t most);
  /// The same; errors[k] says why line k is not UTF-8, and is empty where it is.
  std::vector<std::string> next(std::int64_t most, std::vector<std::string>& errors);
  /// Lines so far.
  std::int64_t read() const { return read_; }
  /// How much of a file has been read, from 0 to 1.
  double share() const;

 private:
  std::unique_ptr<TextFile> file_;  // null: standard input
  std::istream& in_;
  std::string name_;
  std::int64_t limit_ = 0, read_ = 0;
};

}  // namespace cavs::cli
