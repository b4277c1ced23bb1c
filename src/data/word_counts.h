#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cavs/data.h"
#include "cavs/vocabulary.h"

namespace cavs::inline v0_1 {

/// The number of occurrences of each word of a text, which must outlive the counts.
using WordCounts = std::unordered_map<std::string_view, std::int64_t>;

/// Makes a vocabulary of `first` and the counted words, ordered and bounded as in Vocabulary::from_trees.
Vocabulary most_frequent(WordCounts counts, std::vector<std::string> first, int min_count, std::int32_t max_size);

/// Returns the words of the options, if these are from a checkpoint; else "<unk>" and the most frequent words.
Vocabulary known_words(WordCounts counts, const DataOptions& options);

/// Returns the id of each word, in the given order.
template <typename Words>
std::vector<std::int32_t> word_ids(const Words& words, const Vocabulary& vocabulary) {
  std::vector<std::int32_t> ids;
  ids.reserve(words.size());
  for (const auto& word : words) ids.push_back(vocabulary.id(word));
  return ids;
}

/// Returns all words of both vocabularies. Ids of `first` are kept; new words of `second` follow.
Vocabulary joined(const Vocabulary& first, const Vocabulary& second);

}  // namespace cavs::inline v0_1
