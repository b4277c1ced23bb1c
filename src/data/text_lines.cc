#include <algorithm>

#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "data/columns.h"
#include "data/text.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::string_view kBlank = " \t\r\v\f";

}  // namespace

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (auto begin = line.find_first_not_of(kBlank); begin != line.npos;) {
    const auto end = std::min(line.find_first_of(kBlank, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlank, end);
  }
  return words;
}

std::vector<TextLine> parse_text(std::string_view text, const std::string& name, std::int64_t first_line) {
  text = checked_text(text, name, first_line);
  std::vector<TextLine> lines;
  std::int64_t number = first_line;
  for (; !text.empty(); ++number) {
    const std::string_view line = take_line(text, name, number);
    if (line.find_first_not_of(kBlank) != line.npos) lines.push_back({line, number});
  }
  user_check(!lines.empty(), "{}:{}: no word; expected a sentence or paragraph per line, found the end of the text",
             name, number);
  return lines;
}

}  // namespace cavs::inline v0_1
