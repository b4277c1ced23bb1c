#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cavs/data.h"
#include "cavs/vocabulary.h"

namespace cavs::inline v0_1 {

/// How often each word stands in a text that outlives the counts.
using WordCounts = std::unordered_map<std::string_view, std::int64_t>;

/// `first`, and then the counted words that are none of them, as Vocabulary::from_trees orders and bounds them.
Vocabulary most_frequent(WordCounts counts, std::vector<std::string> first, int min_count, std::int32_t max_size);

/// The words of the options (a checkpoint's); without them "<unk>" and the most frequent ones.
Vocabulary known_words(WordCounts counts, const DataOptions& options);

/// The numbers of words, one after the other.
template <typename Words>
std::vector<std::int32_t> word_ids(const Words& words, const Vocabulary& vocabulary) {
  std::vector<std::int32_t> ids;
  ids.reserve(words.size());
  for (const auto& word : words) ids.push_back(vocabulary.id(word));
  return ids;
}

/// All words of both: ids of the first stay, those of the second that are new follow.
Vocabulary joined(const Vocabulary& first, const Vocabulary& second);

}  // namespace cavs::inline v0_1
