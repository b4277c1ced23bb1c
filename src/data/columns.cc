#include "data/columns.h"

#include <algorithm>

#include "cavs/readers.h"
#include "data/text.h"
#include "support/check.h"

namespace cavs::inline v0_1 {

std::string_view take_line(std::string_view& text, const std::string& name, std::int64_t number) {
  std::string_view line = take_part(text, '\n');
  while (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  const auto inside = line.find('\r');
  user_check(inside == line.npos,
             "{}:{}: found a carriage return in column {}, inside the line, after '{}'; expected carriage returns only "
             "at the end of lines; replace them (tr '\\r' '\\n' if they end lines)",
             name, number, inside + 1, excerpt(line.substr(0, inside)));
  return line;
}

void split_columns(std::string_view line, std::vector<std::string_view>& columns) {
  if (line.find('\t') == line.npos || line.find_first_not_of(" \t\r\v\f") == line.npos) {
    columns = split_words(line);
    return;
  }
  columns = split_tabs(line);
  for (std::string_view& column : columns) {
    column.remove_prefix(std::min(column.find_first_not_of(' '), column.size()));
    column.remove_suffix(column.size() - (column.find_last_not_of(' ') + 1));
  }
}

bool is_plain_integer(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos && (text.size() == 1 || text[0] != '0');
}

}  // namespace cavs::inline v0_1
