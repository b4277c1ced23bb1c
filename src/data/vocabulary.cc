#include <algorithm>
#include <utility>

#include "data/word_counts.h"
#include "support/check.h"

namespace cavs::inline v0_1 {

Vocabulary most_frequent(WordCounts counts, std::vector<std::string> first, int min_count, std::int32_t max_size) {
  for (const std::string& word : first) counts.erase(word);
  std::vector<std::pair<std::string_view, std::int64_t>> kept;
  for (const auto& entry : counts)
    if (entry.second >= min_count) kept.emplace_back(entry);
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  const auto room = std::max<std::ptrdiff_t>(max_size - std::ssize(first), 0);
  if (max_size > 0 && std::ssize(kept) > room) kept.resize(room);
  for (const auto& [word, count] : kept) first.emplace_back(word);
  return Vocabulary(std::move(first));
}

Vocabulary known_words(WordCounts counts, const DataOptions& options) {
  if (options.words != nullptr) return *options.words;
  return most_frequent(std::move(counts), {std::string(Vocabulary::kUnknown)}, options.min_count, options.vocabulary);
}

Vocabulary joined(const Vocabulary& first, const Vocabulary& second) {
  std::vector<std::string> words = first.words();
  for (const std::string& word : second.words())
    if (word != Vocabulary::kUnknown && first.id(word) == 0) words.push_back(word);
  return Vocabulary(std::move(words));
}

Vocabulary::Vocabulary(std::vector<std::string> all) {
  const auto made = std::make_shared<Shared>();
  made->words = std::move(all);
  const std::vector<std::string>& words = made->words;
  user_check(!words.empty() && words.front() == kUnknown, "vocabulary: word 0 is '{}'; expected '{}'",
             words.empty() ? "" : words.front(), kUnknown);
  made->ids.reserve(words.size());
  for (std::size_t id = 0; id < words.size(); ++id) {
    user_check(!words[id].empty(), "vocabulary: word {} is empty", id);
    const auto [entry, is_new] = made->ids.emplace(words[id], static_cast<std::int32_t>(id));
    user_check(is_new, "vocabulary: words {} and {} are both '{}'", entry->second, id, words[id]);
  }
  shared_ = made;
}

Vocabulary Vocabulary::from_trees(std::span<const Tree> trees, int min_count, std::int32_t max_size) {
  WordCounts counts;
  for (const Tree& tree : trees)
    for (std::int32_t v = 0; v < tree.size(); ++v)
      if (const auto word = tree.word(v); !word.empty()) ++counts[word];
  return most_frequent(std::move(counts), {std::string(kUnknown)}, min_count, max_size);
}

Vocabulary Vocabulary::from_lines(std::span<const TextLine> lines, int min_count, std::int32_t max_size) {
  WordCounts counts;
  for (const TextLine& line : lines)
    for (const auto word : split_words(line.text)) ++counts[word];
  return most_frequent(std::move(counts), {std::string(kUnknown), std::string(kEndOfLine)}, min_count, max_size);
}

std::int32_t Vocabulary::id(std::string_view word) const {
  const auto entry = shared_->ids.find(word);
  return entry == shared_->ids.end() ? 0 : entry->second;
}

}  // namespace cavs::inline v0_1
