#include "data/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/text.h"
#include "support/check.h"

namespace cavs::inline v0_1 {

TableReader::TableReader(std::string_view text, std::string name, char separator)
    : text_(checked_text(text, name)), name_(std::move(name)), separator_(separator) {}

bool TableReader::at_line_end() const {
  return at_end() || text_[at_] == '\n' || (text_[at_] == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n'));
}

void TableReader::skip_line_end() {
  if (at_end()) return;
  at_ = std::min(at_ + (text_[at_] == '\r' ? 2 : 1), text_.size());
  ++line_;
}

bool TableReader::next(std::vector<std::string>& fields) {
  while (!at_end() && at_line_end()) skip_line_end();
  while (text_.substr(at_).starts_with(kByteOrderMark)) at_ += kByteOrderMark.size();
  if (at_end()) return false;
  row_line_ = line_;
  fields.clear();
  line_begin_ = at_;
  for (bool more = true; more; at_ += more ? 1 : 0) {
    fields.push_back(take_field());
    more = !at_line_end();
  }
  skip_line_end();
  if (columns_ == 0) columns_ = fields.size();
  user_check(fields.size() == columns_, "{}:{}: the row has {} field{}; expected {}, as in the first row", name_,
             row_line_, fields.size(), fields.size() == 1 ? "" : "s", columns_);
  return true;
}

std::string TableReader::take_field() {
  const bool knows_quotes = separator_ != '\t';
  if (knows_quotes && !at_end() && text_[at_] == '"') return take_quoted();
  const std::size_t begin = at_;
  while (!at_line_end() && text_[at_] != separator_) {
    if (text_[at_] == '\r') report_carriage_return(begin);
    if (knows_quotes && text_[at_] == '"')
      user_error("{}:{}: a quote inside the field '{}'; expected the whole field in quotes, and the quote doubled",
                 name_, line_, excerpt(rest_of_line(begin)));
    ++at_;
  }
  return std::string(text_.substr(begin, at_ - begin));
}

std::string_view TableReader::rest_of_line(std::size_t begin) const {
  return text_.substr(begin, std::min(text_.find('\n', begin), text_.size()) - begin);
}

void TableReader::report_carriage_return(std::size_t begin) const {
  user_error(
      "{}:{}: found a carriage return in column {}, inside the line, after '{}'; expected carriage returns only at the "
      "end of lines, or in a field in quotes; replace them (tr '\\r' '\\n' if they end lines)",
      name_, line_, at_ - line_begin_ + 1, excerpt(text_.substr(begin, at_ - begin)));
}

std::string TableReader::take_quoted() {
  const std::int64_t first_line = line_;
  std::string field;
  for (++at_; !at_end(); ++at_) {
    const char c = text_[at_];
    const bool doubled = c == '"' && text_.substr(at_).starts_with("\"\"");
    if (c == '"' && !doubled) break;
    field += c;
    if (c == '\n') {
      ++line_;
      line_begin_ = at_ + 1;
    }
    at_ += doubled ? 1 : 0;
  }
  user_check(!at_end(), "{}:{}: the quote that begins here is not closed; expected '\"', found the end of the text",
             name_, first_line);
  ++at_;
  if (!at_line_end() && text_[at_] != separator_)
    user_error("{}:{}: expected '{}' or the end of the line after a quoted field{}, found '{}'", name_, line_,
               separator_, line_ == first_line ? "" : fmt::format(" (which begins in line {})", first_line),
               excerpt(rest_of_line(at_)));
  return field;
}

}  // namespace cavs::inline v0_1
