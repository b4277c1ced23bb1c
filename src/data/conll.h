#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cavs/data.h"
#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "data/columns.h"
#include "data/parts.h"
#include "data/word_counts.h"

namespace cavs::inline v0_1 {

/// How the tokens of a tagged file are written.
enum class TokenColumn : std::uint8_t {
  kWord,               // "Coronado I-LOC"
  kNumberedCharacter,  // as Weibo NER has it: a character, and behind it its number inside its word, "李0"
  kCharacter,          // the same, or all characters without a number
};

struct ConllOptions {
  TokenColumn column = TokenColumn::kWord;
  std::size_t token = 0;        // the column of the tokens, from 1; 0: the first one that does not count them
  std::size_t tag = 0;          // the column of the tags, from 1; 0: the last one
  bool any_tag = false;         // any text is a tag: TagScheme::kIo and kNone
  std::int64_t first_line = 1;  // of the text in its file
  bool for_prediction = false;  // tokens may stand without tags, and there may be no sentence
  std::vector<std::string>* warnings = nullptr;  // of columns that may be meant instead; null: they are not looked for
};

/// Sentences that are tagged token by token: a line per token, as many columns in each line (split_columns); a blank
/// line after each sentence. Lines of -DOCSTART-, and comments (#) above a sentence, are skipped. Tags are O, or B-,
/// I-, E-, S-, M-, L- or U- and a class. A tag that is_no_label() is read as an empty text.
/// @throws UserError that starts with "name:line". Cost: linear.
std::vector<TaggedSentence> parse_conll(std::string_view text, const std::string& name,
                                        const ConllOptions& options = {});

/// The tags that stand in sentences, or other names of classes, each once. Views them.
class TagNames {
 public:
  void add(const TaggedSentence& sentence) {
    for (const std::string_view tag : sentence.tags) add(tag);
  }
  /// A text that is_no_label() is none.
  void add(std::string_view name) {
    if (!is_no_label(name)) names_.insert(name);
  }
  /// O first where it is one of them, the others by their bytes.
  std::vector<std::string> sorted() const;

 private:
  std::set<std::string_view> names_;
};

/// A data set with the words and the tags of the options (a checkpoint's), or else those that were found; no samples
/// yet. @throws UserError if there is no tag, or if the model has another number of classes.
Dataset words_and_tags(WordCounts counts, const TagNames& names, const std::string& kind, const DataOptions& options);

/// The same for the tokens of the training part and the tags of both. `counts`: of other words.
template <typename Sentence>
Dataset words_and_tags(const Parts<Sentence>& parts, const std::string& kind, const DataOptions& options,
                       WordCounts counts = {}) {
  TagNames names;
  for (const auto& part : parts.samples)
    for (const Sentence& sentence : part) names.add(sentence);
  for (const Sentence& sentence : parts.samples[0])
    for (const auto token : sentence.tokens) ++counts[token];
  return words_and_tags(std::move(counts), names, kind, options);
}

/// The numbers of tags. Refers to the names.
class TagIds {
 public:
  explicit TagIds(const std::vector<std::string>& tags);
  /// Those of a sentence, -1 where it has no tag. @throws UserError naming a tag that the model does not know.
  std::vector<std::int32_t> of(const TaggedSentence& sentence, const std::string& name) const;

 private:
  const std::vector<std::string>& tags_;
  std::unordered_map<std::string_view, std::int32_t> ids_;
};

}  // namespace cavs::inline v0_1
