#include "data/table_reader.h"

#include <algorithm>
#include <utility>

#include "data/text.h"
#include "support/check.h"

namespace cavs::inline v0_1 {

TableReader::TableReader(std::string_view text, std::string name, char separator)
    : text_(checked_text(text, name)), name_(std::move(name)), separator_(separator) {}

bool TableReader::at_line_end() const {
  return at_end() || text_[at_] == '\n' || text_.substr(at_).starts_with("\r\n");
}

void TableReader::skip_line_end() {
  if (at_end()) return;
  at_ += text_[at_] == '\r' ? 2 : 1;
  ++line_;
}

bool TableReader::next(std::vector<std::string>& fields) {
  while (!at_end() && at_line_end()) skip_line_end();
  if (at_end()) return false;
  row_line_ = line_;
  fields.clear();
  for (bool more = true; more; at_ += more ? 1 : 0) {
    fields.push_back(take_field());
    more = !at_line_end();
  }
  skip_line_end();
  if (columns_ == 0) columns_ = fields.size();
  user_check(fields.size() == columns_, "{}:{}: the row has {} fields; expected {}, as in the first row", name_,
             row_line_, fields.size(), columns_);
  return true;
}

std::string TableReader::take_field() {
  const bool knows_quotes = separator_ != '\t';
  if (knows_quotes && !at_end() && text_[at_] == '"') return take_quoted();
  const std::size_t begin = at_;
  for (; !at_line_end() && text_[at_] != separator_; ++at_)
    user_check(!knows_quotes || text_[at_] != '"',
               "{}:{}: a quote inside of the field '{}'; expected the whole field in quotes, and the quote doubled",
               name_, line_, excerpt(text_.substr(begin, std::min(text_.find('\n', begin), text_.size()) - begin)));
  return std::string(text_.substr(begin, at_ - begin));
}

std::string TableReader::take_quoted() {
  const std::int64_t first_line = line_;
  std::string field;
  for (++at_; !at_end(); ++at_) {
    const char c = text_[at_];
    const bool doubled = c == '"' && text_.substr(at_).starts_with("\"\"");
    if (c == '"' && !doubled) break;
    field += c;
    line_ += c == '\n' ? 1 : 0;
    at_ += doubled ? 1 : 0;
  }
  user_check(!at_end(), "{}:{}: the quote that begins here is not closed; expected '\"', found the end of the text",
             name_, first_line);
  ++at_;
  user_check(at_line_end() || text_[at_] == separator_,
             "{}:{}: expected '{}' or the end of the line after a quoted field, found '{}'", name_, line_, separator_,
             excerpt(text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_)));
  return field;
}

}  // namespace cavs::inline v0_1
