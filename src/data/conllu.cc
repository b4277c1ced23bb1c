#include "data/conllu.h"

#include <algorithm>
#include <utility>

#include "data/dependency_graph.h"
#include "data/text.h"
#include "support/check.h"
#include "support/parse_number.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::size_t kColumns = 10;
enum Column : std::size_t { kId, kForm, kHead = 6 };

class ConlluParser {
 public:
  ConlluParser(const std::string& name, ConlluColumn column, std::int64_t first_line)
      : name_(name), label_(static_cast<std::size_t>(column)), number_(first_line - 1) {}

  void add_line(std::string_view line) {
    ++number_;
    if (line.starts_with('#')) return;
    if (line.find_first_not_of(" \t") == line.npos) return end_sentence();
    const auto columns = split_tabs(line);
    user_check(columns.size() == kColumns, "{}:{}: expected {} columns separated by tabs, found {} in '{}'", name_,
               number_, kColumns, columns.size(), excerpt(line));
    if (columns[kId].find_first_of("-.") == line.npos) add_word(columns);
  }

  std::vector<DependencySentence> finish() {
    end_sentence();
    user_check(!sentences_.empty(), "{}:{}: no sentence; expected words in {} columns, found the end of the text",
               name_, number_ + 1, kColumns);
    return std::move(sentences_);
  }

 private:
  void add_word(const std::vector<std::string_view>& columns) {
    const auto expected = std::ssize(sentence_.tokens) + 1;
    user_check(parse_number<std::int32_t>(columns[kId]) == expected,
               "{}:{}: expected word {} of its sentence, found the ID '{}'", name_, number_, expected,
               excerpt(columns[kId]));
    user_check(!columns[kForm].empty(), "{}:{}: column {} is empty; expected a text, or _ for none", name_, number_,
               kForm + 1);
    const std::int32_t head = parse_number<std::int32_t>(columns[kHead]).value_or(-1);
    user_check(head >= 0, "{}:{}: expected the number of the head, or 0 for the root, found '{}'", name_, number_,
               excerpt(columns[kHead]));
    if (sentence_.tokens.empty()) sentence_.line = number_;
    sentence_.tokens.push_back(columns[kForm]);
    sentence_.tags.push_back(is_no_label(columns[label_]) ? std::string_view() : columns[label_]);
    sentence_.heads.push_back(head - 1);
  }

  void end_sentence() {
    if (sentence_.tokens.empty()) return;
    find_root(sentence_.heads, name_, sentence_.line);
    sentences_.push_back(std::exchange(sentence_, {}));
  }

  const std::string& name_;
  std::size_t label_;
  std::int64_t number_;
  DependencySentence sentence_;
  std::vector<DependencySentence> sentences_;
};

}  // namespace

ConlluColumn conllu_column(std::string_view name) {
  if (name == "xpos") return ConlluColumn::kXpos;
  return name == "deprel" ? ConlluColumn::kDeprel : ConlluColumn::kUpos;
}

std::vector<DependencySentence> parse_conllu(std::string_view text, const std::string& name, ConlluColumn column,
                                             std::int64_t first_line) {
  text = checked_text(text, name, first_line);
  ConlluParser parser(name, column, first_line);
  for (std::int64_t line = first_line; !text.empty(); ++line) parser.add_line(take_line(text, name, line));
  return parser.finish();
}

}  // namespace cavs::inline v0_1
