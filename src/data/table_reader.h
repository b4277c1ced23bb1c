#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cavs::inline v0_1 {

/// Reads the rows of a CSV text (RFC 4180: fields separated by commas; a field in quotes may contain commas, line ends
/// and doubled quotes), or of a text with fields separated by tabs, in which quotes have no meaning.
class TableReader {
 public:
  /// The text must outlive the reader. @throws UserError on text that is not UTF-8.
  TableReader(std::string_view text, std::string name, char separator);

  /// Reads the fields of the next row; returns false at the end. Empty lines are skipped.
  /// @throws UserError ("name:line: ...") for invalid quotes, a carriage return inside a line, or a row whose number of
  /// fields differs from the first row.
  bool next(std::vector<std::string>& fields);
  /// Returns the line at which the row of the last next() begins, from 1.
  std::int64_t line() const { return row_line_; }

 private:
  bool at_end() const { return at_ == text_.size(); }
  bool at_line_end() const;
  void skip_line_end();
  std::string take_field();
  std::string take_quoted();
  std::string_view rest_of_line(std::size_t begin) const;
  [[noreturn]] void report_carriage_return(std::size_t begin) const;

  std::string_view text_;
  std::string name_;
  char separator_;
  std::size_t at_ = 0, line_begin_ = 0;
  std::int64_t line_ = 1, row_line_ = 1;
  std::size_t columns_ = 0;  // number of columns of the first row; 0 before it is read
};

}  // namespace cavs::inline v0_1
