#include "data/conll.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "data/data_kinds.h"
#include "data/entities.h"
#include "data/text.h"
#include "support/check.h"
#include "support/parse_number.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::string_view kDigits = "0123456789", kDocument = "-DOCSTART-";

/// True for O, for a prefix of a tag scheme followed by a class, and for a text that is_no_label().
bool is_tag(std::string_view text) {
  return text == kOutside || is_no_label(text) || parse_tag(text).entity_class.size() + 2 == text.size();
}

/// Returns the character of a token that is a character and a number; empty for another token. The character may be a
/// digit: "310" is the character 3 with the number 10.
std::string_view without_number(std::string_view token) {
  std::size_t end = 1;
  while (end < token.size() && kDigits.find(token[end]) == kDigits.npos) ++end;
  return end < token.size() && token.find_first_not_of(kDigits, end) == token.npos ? token.substr(0, end)
                                                                                   : std::string_view();
}

using Columns = std::vector<std::string_view>;

/// Finds out whether a column numbers the lines of each sentence.
class Count {
 public:
  void add(std::string_view text) {
    const std::int64_t number = is_plain_integer(text) ? parse_number<std::int32_t>(text).value_or(-1) : -1;
    counts_ = counts_ && number >= 0 && (next_ < 0 || number == next_);
    from_one_ = from_one_ && (next_ >= 0 || text == "0" || text == "1");
    next_ = number + 1;
  }
  void end_sentence() { next_ = -1; }
  bool counts() const { return counts_; }
  /// True if the numbers begin at 0 or 1 in every sentence.
  bool counts_from_one() const { return counts_ && from_one_; }

 private:
  std::int64_t next_ = -1;
  bool counts_ = true, from_one_ = true;
};

/// Properties of the columns of all lines, found in one pass.
struct Layout {
  std::size_t columns = 0;      // of each line
  std::int64_t first_line = 0;  // number of the first line that has columns
  Count count;                  // finds out whether the first column numbers the lines
  bool constant = true;         // true if the first column has the same text in all lines of a sentence
  bool repeats = false;         // true if any sentence has two or more tokens
  std::vector<std::uint8_t> not_tags,
      entities;  // [columns]: true if any text is no tag; true if any text is an entity's tag
};

class ConllParser {
 public:
  ConllParser(std::string_view text, const std::string& name, const ConllOptions& options)
      : text_(text), name_(name), options_(options) {}

  std::vector<TaggedSentence> parse() {
    measure(true);
    if (layout_.columns == 0) measure(false);  // every line begins with #, so # begins tokens, not comments
    if (layout_.columns > 0) choose_columns();
    for_each_line([&](std::string_view line, const Columns& columns) { add_line(line, columns); });
    end_sentence();
    user_check(!sentences_.empty() || options_.for_prediction,
               "{}:{}: no sentence; expected a token and its tag on each line, found the end of the text", name_,
               number_ + 1);
    if (options_.column != TokenColumn::kWord) remove_numbers();
    return std::move(sentences_);
  }

 private:
  /// Calls visit(line, columns) for each line. -DOCSTART- lines are visited as blank lines, without columns.
  template <typename Visit>
  void for_each_line(Visit&& visit) {
    number_ = options_.first_line - 1;
    Columns columns;
    for (std::string_view rest = text_; !rest.empty();) {
      const std::string_view line = take_line(rest, name_, ++number_);
      split_columns(line, columns);
      if (!columns.empty() && columns.front() == kDocument) columns.clear();
      visit(line, columns);
    }
  }

  void measure(bool skip_comments) {
    layout_ = {};
    bool begins = true, in_comments = true;
    std::string_view first;
    for_each_line([&](std::string_view line, const Columns& columns) {
      if (columns.empty()) {
        begins = in_comments = true;
        layout_.count.end_sentence();
        return;
      }
      in_comments = in_comments && line.starts_with('#');
      if (skip_comments && in_comments) return;
      if (layout_.columns == 0) {
        layout_.columns = columns.size();
        layout_.first_line = number_;
        layout_.not_tags.resize(columns.size());
        layout_.entities.resize(columns.size());
      }
      check_number(columns);
      layout_.count.add(columns[0]);
      if (begins) first = columns[0];
      layout_.constant = layout_.constant && columns[0] == first;
      layout_.repeats = layout_.repeats || !begins;
      begins = false;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const bool tag = is_tag(columns[c]);
        layout_.not_tags[c] |= !tag;
        layout_.entities[c] |= tag && columns[c] != kOutside && !is_no_label(columns[c]);
      }
    });
  }

  void check_number(const Columns& columns) const {
    if (columns.size() == layout_.columns) return;
    user_check(columns.size() > 1, "{}:{}: expected a token and its tag, found only '{}'", name_, number_,
               excerpt(columns.front()));
    user_error(
        "{}:{}: {} columns, but line {} has {}; expected the same number in every line (a token with a blank inside "
        "needs tabs between the columns)",
        name_, number_, columns.size(), layout_.first_line, layout_.columns);
  }

  /// Chooses the columns that the options do not name.
  void choose_columns() {
    const std::size_t columns = layout_.columns;
    token_ = options_.token;
    tag_ = options_.tag;
    if (options_.for_prediction && columns == 1) token_ = 1;
    if (token_ == 0) token_ = first_token_column();
    if (tag_ == 0) tag_ = columns;
    if (options_.for_prediction && (columns == 1 || tag_ > columns)) tag_ = 0;
    user_check(options_.for_prediction || columns > 1, "{}:{}: expected a token and its tag, found one column", name_,
               layout_.first_line);
    user_check(token_ <= columns && tag_ <= columns && token_ != tag_,
               "{}:{}: the token is column {}, the tag is column {}, and there are {} columns; expected two of them "
               "(token=N,tag=N)",
               name_, layout_.first_line, token_, tag_, columns);
    if (options_.warnings != nullptr && options_.tag == 0) name_other_tags();
  }

  std::size_t first_token_column() {
    const std::size_t columns = layout_.columns;
    if (columns > 2 && layout_.count.counts_from_one()) {
      if (options_.warnings != nullptr)
        options_.warnings->push_back(
            fmt::format("{}: column 1 counts the tokens of every sentence, so the token is column 2; token=N chooses "
                        "another column",
                        name_));
      return 2;
    }
    if (options_.for_prediction || !layout_.repeats) return 1;
    const bool counts = layout_.count.counts();
    user_check(
        !counts && !(layout_.constant && (columns > 2 || options_.any_tag)),
        "{}:{}: column 1 {}, so it is not a token; name the columns of token and tag among the {} columns, such as "
        "token=2,tag={}",
        name_, layout_.first_line, counts ? "counts the lines" : "is the same in all lines of a sentence", columns,
        columns);
    return 1;
  }

  /// Warns if the tags are read from the last column, but another column also looks like tags.
  void name_other_tags() const {
    std::vector<std::string> others;
    for (std::size_t c = 1; c < layout_.columns; ++c)
      if (c != token_ && !layout_.not_tags[c - 1] && layout_.entities[c - 1]) others.push_back(std::to_string(c));
    if (others.empty() || (layout_.not_tags[tag_ - 1] && !options_.any_tag)) return;
    options_.warnings->push_back(
        fmt::format("{}: tags are read from column {}, the last one; column {} looks like tags, too: tag={} reads it "
                    "instead",
                    name_, tag_, fmt::join(others, " and "), others.front()));
  }

  /// True if the line is a comment: it begins with #, is above a sentence, and has no columns of a token and a tag.
  bool is_comment(std::string_view line, const Columns& columns) {
    if (!line.starts_with('#') || !sentence_.tokens.empty()) return false;
    if (columns.size() != layout_.columns) return true;
    if (tag_ == 0) return false;
    return options_.any_tag ? !other_tags().contains(columns[tag_ - 1]) : !is_tag(columns[tag_ - 1]);
  }

  /// Returns the tags of all lines that do not begin with #. They are collected at the first call.
  const std::set<std::string_view>& other_tags() {
    if (other_tags_) return *other_tags_;
    const std::int64_t number = number_;
    other_tags_.emplace();
    for_each_line([&](std::string_view line, const Columns& columns) {
      if (!line.starts_with('#') && columns.size() == layout_.columns) other_tags_->insert(columns[tag_ - 1]);
    });
    number_ = number;
    return *other_tags_;
  }

  void add_line(std::string_view line, const Columns& columns) {
    if (columns.empty()) return end_sentence();
    if (is_comment(line, columns)) return;
    check_number(columns);
    if (sentence_.tokens.empty()) sentence_.line = number_;
    const std::string_view token = columns[token_ - 1];
    user_check(!token.empty(), "{}:{}: column {} is empty; expected a token", name_, number_, token_);
    sentence_.tokens.push_back(token);
    if (tag_ > 0) sentence_.tags.push_back(checked_tag(columns[tag_ - 1]));
  }

  std::string_view checked_tag(std::string_view tag) const {
    if (is_no_label(tag)) return {};
    if (!options_.any_tag && !is_tag(tag)) report_tag(tag);
    return tag;
  }
  [[noreturn]] void report_tag(std::string_view tag) const {
    std::string other;
    for (std::size_t c = 1; c <= layout_.columns && other.empty(); ++c)
      if (!layout_.not_tags[c - 1] && layout_.entities[c - 1])
        other = fmt::format("; column {} looks like tags: tag={} reads it", c, c);
    user_error(
        "{}:{}: expected a tag O, B-X, I-X, E-X or S-X (also M-X, L-X, U-X) in column {}, found '{}'{}; tags=io reads "
        "classes of entities without B- and I-, tags=none any text",
        name_, number_, tag_, excerpt(tag), other);
  }

  void end_sentence() {
    if (!sentence_.tokens.empty()) sentences_.push_back(std::move(sentence_));
    sentence_ = {};
  }

  /// Removes the numbers from characters, if all tokens have numbers.
  void remove_numbers() {
    std::int64_t numbered = 0, tokens = 0;
    for (const TaggedSentence& sentence : sentences_)
      for (const std::string_view token : sentence.tokens) {
        ++tokens;
        numbered += without_number(token).empty() ? 0 : 1;
      }
    if (options_.column == TokenColumn::kCharacter && 2 * numbered <= tokens) return;
    for (TaggedSentence& sentence : sentences_)
      for (std::size_t t = 0; t < sentence.tokens.size(); ++t) {
        const std::string_view character = without_number(sentence.tokens[t]);
        user_check(!character.empty(),
                   "{}:{}: expected a character and its number inside its word, found '{}'; "
                   "lattice:FILE reads characters without numbers",
                   name_, sentence.line + static_cast<std::int64_t>(t), excerpt(sentence.tokens[t]));
        sentence.tokens[t] = character;
      }
  }

  std::string_view text_;
  const std::string& name_;
  ConllOptions options_;
  Layout layout_;
  std::size_t token_ = 0, tag_ = 0;  // columns of tokens and tags, from 1; tag_ is 0 if the text has no tags
  std::int64_t number_ = 0;          // number of the current line in the file
  TaggedSentence sentence_;
  std::vector<TaggedSentence> sentences_;
  std::optional<std::set<std::string_view>> other_tags_;
};

}  // namespace

std::vector<TaggedSentence> parse_conll(std::string_view text, const std::string& name, const ConllOptions& options) {
  return ConllParser(checked_text(text, name, options.first_line), name, options).parse();
}

std::vector<std::string> TagNames::sorted() const {
  std::vector<std::string> tags(names_.begin(), names_.end());
  if (const auto outside = std::ranges::find(tags, kOutside); outside != tags.end())
    std::rotate(tags.begin(), outside, outside + 1);
  return tags;
}

Dataset words_and_tags(WordCounts counts, const TagNames& names, const std::string& kind, const DataOptions& options) {
  Dataset data;
  data.words = known_words(std::move(counts), options);
  data.class_names = options.class_names != nullptr ? *options.class_names : names.sorted();
  user_check(!data.class_names.empty(),
             "data '{}': no token has a label ('_', '-1' and empty columns mean no label); expected labels in the "
             "column that is read; name another column",
             kind);
  data.classes = checked_classes(data.class_names, kind, options);
  return data;
}

TagIds::TagIds(const std::vector<std::string>& tags) : tags_(tags) {
  for (std::size_t c = 0; c < tags.size(); ++c) ids_.emplace(tags[c], static_cast<std::int32_t>(c));
}

std::vector<std::int32_t> TagIds::of(const TaggedSentence& sentence, const std::string& name) const {
  std::vector<std::int32_t> ids;
  ids.reserve(sentence.tags.size());
  for (const std::string_view tag : sentence.tags) {
    const auto found = ids_.find(tag);
    user_check(found != ids_.end() || is_no_label(tag),
               "{}:{}: the model does not know the tag '{}' of this sentence; known: {}", name, sentence.line,
               excerpt(tag), fmt::join(tags_, ", "));
    ids.push_back(found == ids_.end() ? -1 : found->second);
  }
  return ids;
}

}  // namespace cavs::inline v0_1
