#include "data/dependency_text.h"

#include <algorithm>
#include <utility>

#include "data/escapes.h"
#include "data/text.h"
#include "data/text_cursor.h"

namespace cavs::inline v0_1 {
namespace {

class DependencyTextParser {
 public:
  DependencyTextParser(std::string_view text, const std::string& name, std::int64_t first_line)
      : cursor_(checked_text(text, name, first_line), "()", name, first_line) {}

  std::vector<DependencyText> parse() {
    for (cursor_.skip_space(); !cursor_.at_end(); cursor_.skip_space()) step();
    if (open_ >= 0)
      cursor_.fail_at(tree_.line, "the tree that begins here is not closed; expected ')', found the end of the text");
    return std::move(trees_);
  }

 private:
  struct Bracket {
    std::int32_t parent, word = -1;
  };

  void step() {
    if (cursor_.peek() == '(') return open();
    if (cursor_.peek() == ')') return close();
    const std::string_view word = cursor_.take_token();
    if (open_ < 0) cursor_.fail("expected '(' at the beginning of a tree, found '{}'", excerpt(word));
    if (const std::int32_t other = brackets_[open_].word; other >= 0)
      cursor_.fail(
          "found the words '{}' and '{}' in one bracket; expected one word and the brackets of its dependents, as in "
          "'{}'",
          excerpt(tree_.words[other]), excerpt(word), kDependencyExample);
    brackets_[open_].word = static_cast<std::int32_t>(tree_.words.size());
    append_unescaped(tree_.words.emplace_back(), word);
  }

  void open() {
    if (open_ < 0) {
      tree_ = {};
      tree_.line = cursor_.line();
      brackets_.clear();
    }
    brackets_.push_back({.parent = open_});
    open_ = static_cast<std::int32_t>(brackets_.size()) - 1;
    cursor_.skip();
  }

  void close() {
    if (open_ < 0) cursor_.fail("one ')' too many; expected '(' or the end of the text, found ')'");
    if (brackets_[open_].word < 0)
      cursor_.fail("a bracket without a word; expected one word and the brackets of its dependents, as in '{}'",
                   kDependencyExample);
    cursor_.skip();
    open_ = brackets_[open_].parent;
    if (open_ < 0) finish();
  }

  void finish() {
    tree_.heads.resize(tree_.words.size());
    for (const auto& [parent, word] : brackets_) tree_.heads[word] = parent < 0 ? -1 : brackets_[parent].word;
    trees_.push_back(std::move(tree_));
  }

  TextCursor cursor_;
  std::vector<DependencyText> trees_;
  DependencyText tree_;
  std::vector<Bracket> brackets_;  // brackets of the tree, in the order in which they were opened
  std::int32_t open_ = -1;         // index in brackets_ of the innermost open bracket; -1 if none is open
};

}  // namespace

std::vector<DependencyText> parse_dependency_text(std::string_view text, const std::string& name,
                                                  std::int64_t first_line) {
  return DependencyTextParser(text, name, first_line).parse();
}

}  // namespace cavs::inline v0_1
