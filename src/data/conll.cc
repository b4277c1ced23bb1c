#include "data/conll.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "data/data_kinds.h"
#include "data/entities.h"
#include "data/text.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool is_number(std::string_view text) { return !text.empty() && text.find_first_not_of(kDigits) == text.npos; }

/// O, B-X, I-X, E-X or S-X.
bool is_tag(std::string_view text) {
  return text == kOutside || parse_tag(text).entity_class.size() + 2 == text.size();
}

/// The number behind a character taken off; a digit may itself be the character, "310" is 3 with the number 10.
std::string_view without_number(std::string_view token) {
  std::size_t end = 1;
  while (end < token.size() && kDigits.find(token[end]) == kDigits.npos) ++end;
  return is_number(token.substr(end)) ? token.substr(0, end) : std::string_view();
}

class ConllParser {
 public:
  ConllParser(const std::string& name, const ConllOptions& options)
      : name_(name), options_(options), number_(options.first_line - 1) {}

  void add_line(std::string_view line) {
    ++number_;
    const auto columns = split_words(line);
    if (columns.empty()) return end_sentence();
    if (columns.front() == "-DOCSTART-") return end_sentence();
    if (sentence_.tokens.empty()) sentence_.line = number_;
    sentence_.tokens.push_back(token_of(columns));
    behind_number_.push_back(columns.size() > 2 ? columns[1] : std::string_view());
    if (options_.for_prediction && columns.size() == 1) return;
    user_check(columns.size() >= 2, "{}:{}: expected a token and its tag, found '{}' alone", name_, number_,
               excerpt(columns.front()));
    user_check(is_tag(columns.back()), "{}:{}: expected a tag O, B-X, I-X, E-X or S-X in the last column, found '{}'",
               name_, number_, excerpt(columns.back()));
    sentence_.tags.push_back(columns.back());
  }

  std::vector<TaggedSentence> finish() {
    end_sentence();
    user_check(!sentences_.empty() || options_.for_prediction,
               "{}:{}: no sentence; expected a token and its tag a line, found the end of the text", name_,
               number_ + 1);
    if (numbered_ && options_.column == TokenColumn::kWord)
      for (std::size_t s = 0; s < sentences_.size(); ++s) sentences_[s].tokens = std::move(seconds_[s]);
    return std::move(sentences_);
  }

 private:
  std::string_view token_of(const std::vector<std::string_view>& columns) const {
    if (options_.column == TokenColumn::kWord) return columns[0];
    const std::string_view character = without_number(columns[0]);
    user_check(!character.empty(), "{}:{}: expected a character and its number inside its word, found '{}'", name_,
               number_, excerpt(columns[0]));
    return character;
  }
  void end_sentence() {
    const std::size_t tokens = sentence_.tokens.size(), tags = sentence_.tags.size();
    user_check(tags == tokens || tags == 0,
               "{}:{}: {} of the {} tokens of this sentence have a tag; expected all or none", name_, sentence_.line,
               tags, tokens);
    numbered_ = numbered_ && counts_tokens();
    if (!sentence_.tokens.empty()) sentences_.push_back(std::move(sentence_)), seconds_.push_back(behind_number_);
    sentence_ = {}, behind_number_.clear();
  }
  /// Whether the first column counts the tokens of the sentence, from 0 or from 1. A token may itself be a number, so
  /// one line says nothing.
  bool counts_tokens() const {
    std::int64_t first = -1;
    for (std::size_t i = 0; i < sentence_.tokens.size(); ++i) {
      const std::string_view number = sentence_.tokens[i];
      if (behind_number_[i].empty() || !is_number(number)) return false;
      if (i == 0) first = number == "0" ? 0 : 1;
      if (number != std::to_string(first + static_cast<std::int64_t>(i))) return false;
    }
    return true;
  }

  const std::string& name_;
  ConllOptions options_;
  std::int64_t number_;
  TaggedSentence sentence_;
  std::vector<TaggedSentence> sentences_;
  std::vector<std::string_view> behind_number_;         // the second column, of the sentence
  std::vector<std::vector<std::string_view>> seconds_;  // of all sentences
  bool numbered_ = true;                                // the first column of each sentence counts its tokens
};

}  // namespace

std::vector<TaggedSentence> parse_conll(std::string_view text, const std::string& name, const ConllOptions& options) {
  text = checked_text(text, name, options.first_line);
  ConllParser parser(name, options);
  while (!text.empty()) parser.add_line(take_part(text, '\n'));
  return parser.finish();
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
  data.tags = options.tags != nullptr ? *options.tags : names.sorted();
  data.classes = checked_classes(data.tags, kind, options);
  return data;
}

std::vector<std::int32_t> tag_ids(const TaggedSentence& sentence, const std::vector<std::string>& tags,
                                  const std::string& name) {
  std::vector<std::int32_t> ids;
  ids.reserve(sentence.tags.size());
  for (const std::string_view tag : sentence.tags) {
    const auto at = std::find(tags.begin(), tags.end(), tag);
    user_check(at != tags.end(), "{}:{}: the model does not know the tag '{}' of this sentence; known: {}", name,
               sentence.line, excerpt(tag), fmt::join(tags, ", "));
    ids.push_back(static_cast<std::int32_t>(at - tags.begin()));
  }
  return ids;
}

}  // namespace cavs::inline v0_1
