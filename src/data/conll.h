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

/// The form of the tokens in a tagged file.
enum class TokenColumn : std::uint8_t {
  kWord,               // "Coronado I-LOC"
  kNumberedCharacter,  // a character and its position in its word, as in Weibo NER: "李0"
  kCharacter,          // a character; if all tokens have numbers, as kNumberedCharacter
};

struct ConllOptions {
  TokenColumn column = TokenColumn::kWord;
  std::size_t token = 0;        // column of the tokens, from 1; 0 means the first column that is no line number
  std::size_t tag = 0;          // column of the tags, from 1; 0 means the last column
  bool any_tag = false;         // true to accept any text as a tag, as for TagScheme::kIo and kNone
  std::int64_t first_line = 1;  // number, in the file, of the first line of the text
  bool for_prediction = false;  // true if tags may be missing, and the text may have no sentence
  std::vector<std::string>* warnings = nullptr;  // gets warnings of other columns that look like tags; may be null
};

/// Parses tagged sentences: one line per token, the same number of columns in each line (split_columns), and a blank
/// line after each sentence. Lines of -DOCSTART-, and comments (#) above a sentence, are skipped. Tags are O, or B-,
/// I-, E-, S-, M-, L- or U- with a class. A tag that is_no_label() becomes an empty text.
/// @throws UserError that starts with "name:line". Cost: linear.
std::vector<TaggedSentence> parse_conll(std::string_view text, const std::string& name,
                                        const ConllOptions& options = {});

/// Collects the distinct tags of sentences, or other names of classes. Holds views of the texts.
class TagNames {
 public:
  void add(const TaggedSentence& sentence) {
    for (const std::string_view tag : sentence.tags) add(tag);
  }
  /// Adds a name, unless it is_no_label().
  void add(std::string_view name) {
    if (!is_no_label(name)) names_.insert(name);
  }
  /// Returns the names ordered by their bytes, except that O is first.
  std::vector<std::string> sorted() const;

 private:
  std::set<std::string_view> names_;
};

/// Makes a data set without samples. If the options have the words and tags of a checkpoint, the set has these,
/// otherwise `counts` and `names`. @throws UserError if there is no tag, or if the model has another number of classes.
Dataset words_and_tags(WordCounts counts, const TagNames& names, const std::string& kind, const DataOptions& options);

/// Like words_and_tags, with the tokens of the training part and the tags of both parts. `counts` has further words.
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

/// Maps tags to their numbers. Keeps a reference to the names.
class TagIds {
 public:
  explicit TagIds(const std::vector<std::string>& tags);
  /// Returns the tag numbers of a sentence; -1 for a token without a tag. @throws UserError for an unknown tag.
  std::vector<std::int32_t> of(const TaggedSentence& sentence, const std::string& name) const;

 private:
  const std::vector<std::string>& tags_;
  std::unordered_map<std::string_view, std::int32_t> ids_;
};

}  // namespace cavs::inline v0_1
