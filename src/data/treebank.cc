#include "data/treebank.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "data/columns.h"
#include "data/escapes.h"
#include "data/text.h"
#include "data/text_cursor.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::int32_t kMaxClasses = 1'000'000;  // bounds the output layer if a label is a mistake

/// Parses trees. Vertices are numbered in the order of their opening brackets. The open brackets are a vertex `open_`
/// and its ancestors, so the parser needs no stack.
class TreebankParser {
 public:
  TreebankParser(std::string_view text, const std::string& name, const TreebankOptions& options, NameTable* names)
      : cursor_(checked_text(text, name, options.first_line), "()", name, options.first_line),
        options_(options),
        names_(names) {}

  std::vector<Tree> parse() {
    for (cursor_.skip_space(); !cursor_.at_end(); cursor_.skip_space()) step();
    if (open_ >= 0)
      cursor_.fail_at(tree_.line, "the tree that begins here is not closed; expected '{}', found the end of the text",
                      std::string(std::min(open_brackets(), std::int64_t{8}), ')'));
    if (trees_.empty()) cursor_.fail("no tree; expected one such as '(3 (2 It) (4 works))', found the end of the text");
    return std::move(trees_);
  }

 private:
  void step() {
    if (cursor_.peek() == '(') return open();
    if (cursor_.peek() == ')') return close();
    const std::string_view word = cursor_.take_token();
    if (open_ < 0) cursor_.fail("expected '(' at the beginning of a tree, found '{}'", excerpt(word));
    add_word(word);
  }

  void open() {
    if (open_ < 0) {
      tree_ = Tree{};
      tree_.line = cursor_.line();
    }
    split_word();
    cursor_.skip();
    open_ = tree_.add(open_);
    cursor_.skip_space();
    label_ = {};
    if (!cursor_.at_end() && !cursor_.at_bracket()) label_ = cursor_.take_token();
    tree_.labels.back() = parse_label();
  }

  std::int32_t parse_label() {
    const int classes = options_.classes > 0 ? options_.classes : kMaxClasses;
    const bool integer = is_plain_integer(label_.substr(label_.starts_with('-') ? 1 : 0));
    std::int64_t label = 0;
    const auto error = std::from_chars(label_.data(), label_.data() + label_.size(), label).ec;
    if (!integer && options_.require_labels)
      cursor_.fail("expected a label 0 to {} after '(', found '{}'", classes - 1,
                   label_.empty() && !cursor_.at_end() ? std::string(1, cursor_.peek()) : excerpt(label_));
    if (!integer) return names_ == nullptr || is_no_label(label_) ? -1 : named_label(names_->add(label_));
    if (error != std::errc() || label < -1 || label >= classes)
      cursor_.fail("label out of range; expected 0 to {}, or -1 for none, found {}", classes - 1, excerpt(label_));
    return static_cast<std::int32_t>(label);
  }

  void close() {
    if (open_ < 0) cursor_.fail("one ')' too many; expected '(' or the end of the text, found ')'");
    if (is_last(open_) && tree_.word(open_).empty()) close_single();
    cursor_.skip();
    open_ = tree_.parents[open_];
    if (open_ < 0) trees_.push_back(std::move(tree_));
  }

  /// Closes a bracket with one token, "(x)". Without labels the token is a word; with labels a word is missing.
  void close_single() {
    if (label_.empty()) cursor_.fail("empty brackets; expected a label and a word, found ')'");
    if (options_.require_labels) cursor_.fail("expected a word or '(' after label {}, found ')'", excerpt(label_));
    tree_.labels.back() = -1;
    set_word(label_);
  }

  void add_word(std::string_view word) {
    if (is_last(open_) && tree_.word(open_).empty()) return set_word(word);
    if (options_.require_labels)
      cursor_.fail("expected one word in brackets of its own, such as '(2 word)', found '{}'", excerpt(word));
    split_word();
    tree_.add(open_);
    set_word(word);
  }

  void set_word(std::string_view word) {
    append_unescaped(tree_.text, word);
    tree_.word_ends.back() = static_cast<std::int64_t>(tree_.text.size());
  }

  /// Moves the word of the open bracket into a leaf below it, because more follows the word, as in "(NP the dog)".
  void split_word() {
    if (open_ < 0 || !is_last(open_) || tree_.word(open_).empty()) return;
    if (options_.require_labels)
      cursor_.fail("expected ')' after the word '{}', found '('", excerpt(tree_.word(open_)));
    const std::int64_t end = tree_.word_ends.back();
    tree_.word_ends.back() -= static_cast<std::int64_t>(tree_.word(open_).size());
    tree_.add(open_);
    tree_.word_ends.back() = end;
  }

  bool is_last(std::int32_t vertex) const { return vertex == tree_.size() - 1; }
  std::int64_t open_brackets() const {
    std::int64_t count = 0;
    for (auto v = open_; v >= 0; v = tree_.parents[v]) ++count;
    return count;
  }

  TextCursor cursor_;
  TreebankOptions options_;
  NameTable* names_;
  std::vector<Tree> trees_;
  Tree tree_;
  std::int32_t open_ = -1;  // vertex of the innermost open bracket
  std::string_view label_;  // token that follows the last '(', which may be a label or a word
};

}  // namespace

std::vector<Tree> parse_treebank(std::string_view text, const std::string& name, const TreebankOptions& options) {
  if (options.class_names == nullptr) return TreebankParser(text, name, options, nullptr).parse();
  NameTable names;
  std::vector<Tree> trees = parse_treebank(text, name, options, names);
  number_labels(trees, names, *options.class_names, name);
  return trees;
}

std::vector<Tree> parse_treebank(std::string_view text, const std::string& name, const TreebankOptions& options,
                                 NameTable& names) {
  return TreebankParser(text, name, options, &names).parse();
}

void number_labels(std::span<Tree> trees, const NameTable& names, const std::vector<std::string>& class_names,
                   const std::string& file) {
  const std::vector<std::int32_t> ids = class_ids(names, class_names);
  for (Tree& tree : trees)
    for (std::int32_t& label : tree.labels) {
      if (!is_named(label)) continue;
      const std::int32_t number = name_of_label(label);
      if (ids[number] < 0)
        user_error("{}:{}: the model does not know the label '{}' of this tree; {}", file, tree.line,
                   excerpt(names.name(number)), suggest(names.name(number), class_names));
      label = ids[number];
    }
}

}  // namespace cavs::inline v0_1
