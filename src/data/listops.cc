#include "data/listops.h"

#include <algorithm>
#include <span>
#include <string>

#include "cavs/readers.h"
#include "data/columns.h"
#include "data/text.h"
#include "data/text_cursor.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::array<std::string_view, 5> kSpellings{"MAX", "MIN", "MED", "SM", "SUM_MOD"};

int median(std::span<std::int32_t> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

class ListOpsParser {
 public:
  ListOpsParser(std::string_view text, const std::string& name, std::int64_t first_line)
      : cursor_(checked_text(text, name, first_line), "[]()", name, first_line) {}

  std::vector<Tree> parse() {
    for (cursor_.skip_space(); !cursor_.at_end(); cursor_.skip_space()) step();
    if (open_ >= 0 || round_ > 0)
      cursor_.fail_at(tree_.line,
                      "the expression that begins here is not closed; expected '{}', found the end of the "
                      "text",
                      open_ >= 0 ? ']' : ')');
    if (trees_.empty()) cursor_.fail("no expression; expected one such as '[MAX 2 9]', found the end of the text");
    return std::move(trees_);
  }

 private:
  /// Skips round brackets, which in published files surround each step of a parser and have no meaning.
  void step() {
    if (cursor_.peek() == '(' || cursor_.peek() == ')') return skip_round();
    if (cursor_.peek() == '[') return open();
    if (cursor_.peek() == ']') return close();
    const std::string_view token = cursor_.take_token();
    if (open_ < 0) cursor_.fail("expected '[' at the beginning of an expression, found '{}'", excerpt(token));
    if (token.size() != 1 || token[0] < '0' || token[0] > '9')
      cursor_.fail("expected a digit 0 to 9, '[' or ']', found '{}'", excerpt(token));
    tree_.add(open_, token);
  }

  void skip_round() {
    if (open_ < 0 && round_ == 0) tree_.line = cursor_.line();
    round_ += cursor_.peek() == '(' ? 1 : -1;
    if (round_ < 0) cursor_.fail("one ')' too many; expected '[', a digit or ']', found ')'");
    cursor_.skip();
  }

  void open() {
    if (open_ < 0) {
      tree_ = Tree{};
      tree_.line = cursor_.line();
    }
    cursor_.skip();
    cursor_.skip_space();
    const std::string_view op = cursor_.take_token();
    if (std::find(kSpellings.begin(), kSpellings.end(), op) == kSpellings.end())
      cursor_.fail("expected an operator after '[', found '{}'; {}", excerpt(op), suggest(op, kSpellings));
    open_ = tree_.add(open_, op == "SUM_MOD" ? "SM" : op);
  }

  void close() {
    if (open_ < 0) cursor_.fail("one ']' too many; expected '[' or the end of the text, found ']'");
    if (open_ == tree_.size() - 1)
      cursor_.fail("{} has no argument; expected a digit or '[', found ']'", tree_.word(open_));
    cursor_.skip();
    open_ = tree_.parents[open_];
    if (open_ >= 0) return;
    evaluate_listops(tree_);
    trees_.push_back(std::move(tree_));
  }

  TextCursor cursor_;
  std::vector<Tree> trees_;
  Tree tree_;
  std::int32_t open_ = -1;  // vertex of the innermost open square bracket
  std::int64_t round_ = 0;  // number of open round brackets
};

}  // namespace

std::int32_t apply_listops(std::string_view op, std::span<std::int32_t> values) {
  if (op == "MAX") return *std::max_element(values.begin(), values.end());
  if (op == "MIN") return *std::min_element(values.begin(), values.end());
  if (op == "MED") return median(values);
  CAVS_ASSERT(op == "SM");
  std::int32_t sum = 0;
  for (std::int32_t value : values) sum = (sum + value) % 10;
  return sum;
}

Vocabulary listops_vocabulary() {
  std::vector<std::string> words{"<unk>"};
  for (char digit = '0'; digit <= '9'; ++digit) words.emplace_back(1, digit);
  words.insert(words.end(), kListOpsOperators.begin(), kListOpsOperators.end());
  return Vocabulary(std::move(words));
}

void evaluate_listops(Tree& tree) {
  const std::int32_t vertices = tree.size();
  std::vector<std::int32_t> begin(vertices + 1, 0), arguments(vertices);
  for (std::int32_t v = 1; v < vertices; ++v) ++begin[tree.parents[v] + 1];
  for (std::int32_t v = 0; v < vertices; ++v) begin[v + 1] += begin[v];
  // Arguments follow their operator, so a backward loop computes every value before its use.
  std::vector<std::int32_t> next(begin.begin() + 1, begin.end());
  for (std::int32_t v = vertices - 1; v >= 0; --v) {
    const bool digit = begin[v] == begin[v + 1];
    const auto values = std::span(arguments).subspan(begin[v], begin[v + 1] - begin[v]);
    const std::int32_t value = digit ? tree.word(v)[0] - '0' : apply_listops(tree.word(v), values);
    tree.labels[v] = digit ? -1 : value;
    if (v > 0) arguments[--next[tree.parents[v]]] = value;
  }
}

bool begins_listops(std::string_view line) {
  if (line.starts_with('[')) return true;
  line.remove_prefix(std::min(line.find_first_not_of("( \t0123456789"), line.size()));
  return line.starts_with('[') &&
         std::ranges::any_of(kSpellings, [&](std::string_view op) { return line.substr(1).starts_with(op); });
}

std::vector<Tree> parse_listops_file(std::string_view text, const std::string& name, std::int64_t first_line) {
  text = checked_text(text, name, first_line);
  if (text.find('\t') == text.npos) return parse_listops(text, name, first_line);
  std::vector<Tree> trees;
  std::vector<std::string_view> columns;
  for (std::int64_t number = first_line; !text.empty(); ++number) {
    split_columns(take_line(text, name, number), columns);
    const auto expression = std::ranges::find_if(columns, [](std::string_view c) { return c.find('[') != c.npos; });
    if (columns.empty() || (number == 1 && expression == columns.end())) continue;  // a blank line, or column names
    user_check(expression != columns.end() && columns.size() <= 2,
               "{}:{}: expected an expression and its value separated by tabs, found {} columns{}", name, number,
               columns.size(), expression == columns.end() ? ", none with a '['" : "");
    std::vector<Tree> read = parse_listops(*expression, name, number);
    user_check(read.size() == 1, "{}:{}: found {} expressions in one column; expected one", name, number, read.size());
    const std::string_view value = columns.size() < 2 ? "" : *expression == columns[0] ? columns[1] : columns[0];
    user_check(is_no_label(value) || value == std::to_string(read[0].labels[0]),
               "{}:{}: the value is given as '{}', but the expression has the value {}; correct the line", name, number,
               excerpt(value), read[0].labels[0]);
    trees.push_back(std::move(read[0]));
  }
  return trees;
}

std::vector<Tree> parse_listops(std::string_view text, const std::string& name, std::int64_t first_line) {
  return ListOpsParser(text, name, first_line).parse();
}

}  // namespace cavs::inline v0_1
