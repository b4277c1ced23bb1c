#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/data.h"
#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "data/word_counts.h"

namespace cavs::inline v0_1 {

/// How the first column of a tagged file is written.
enum class TokenColumn : std::uint8_t {
  kWord,       // "Coronado I-LOC"; behind a number where that counts the tokens of every sentence, from 0 or from 1
  kCharacter,  // as Weibo NER has it: a character, and behind it its number inside its word, "李0"
};

struct ConllOptions {
  TokenColumn column = TokenColumn::kWord;
  std::int64_t first_line = 1;  // of the text in its file
  bool for_prediction = false;  // the tokens of a sentence may all be without tags, and there may be no sentence
};

/// Sentences that are tagged token by token: a line a token, its columns between blanks, the tag the last one; a blank
/// line after each sentence; lines of -DOCSTART- are skipped. Tags are O, B-X, I-X, E-X and S-X (IOB1,
/// IOB2, IOBES).
/// @throws UserError that starts with "name:line". Cost: linear.
std::vector<TaggedSentence> parse_conll(std::string_view text, const std::string& name,
                                        const ConllOptions& options = {});

/// The tags that stand in sentences, or other names of classes, each once. Views them.
class TagNames {
 public:
  void add(const TaggedSentence& sentence) { names_.insert(sentence.tags.begin(), sentence.tags.end()); }
  void add(std::string_view name) { names_.insert(name); }
  /// O first where it is one of them, the others by their bytes.
  std::vector<std::string> sorted() const;

 private:
  std::set<std::string_view> names_;
};

/// A data set with the words and the tags of the options (a checkpoint's), or else those that were found; no samples
/// yet. @throws UserError if the model has another number of classes.
Dataset words_and_tags(WordCounts counts, const TagNames& names, const std::string& kind, const DataOptions& options);

/// The numbers of the tags. @throws UserError naming a tag that is none of them.
std::vector<std::int32_t> tag_ids(const TaggedSentence& sentence, const std::vector<std::string>& tags,
                                  const std::string& name);

}  // namespace cavs::inline v0_1
