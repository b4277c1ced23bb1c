#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "cavs/readers.h"

namespace cavs::cli {

/// Call check_input() right after a read. @throws UserError if standard input ended because of an error.
void check_input();

/// The lines of standard input or of a text file, a few at a time.
class InputLines {
 public:
  InputLines();  // reads standard input
  /// Reads at most `limit` lines of the file; 0 means all. @throws UserError if the file cannot be read.
  InputLines(const std::string& path, std::int64_t limit);

  /// Returns the next `most` lines, or fewer at the end. @throws UserError if a line is not UTF-8 or cannot be read.
  std::vector<std::string> next(std::int64_t most);
  /// Like next(most), but if line k is not UTF-8, errors[k] describes the error instead; otherwise it is empty.
  std::vector<std::string> next(std::int64_t most, std::vector<std::string>& errors);
  /// Returns the number of lines read so far.
  std::int64_t read() const { return read_; }
  /// Returns the share of the file that has been read, from 0 to 1.
  double share() const;

 private:
  std::unique_ptr<TextFile> file_;  // null for standard input
  std::istream& in_;
  std::string name_;
  std::int64_t limit_ = 0, read_ = 0;
};

}  // namespace cavs::cli
