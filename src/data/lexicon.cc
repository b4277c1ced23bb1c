#include "data/lexicon.h"

#include <algorithm>

#include "cavs/readers.h"
#include "cavs/vocabulary.h"

namespace cavs {

Lexicon::Lexicon(std::string_view text, const std::string& name) {
  for (const TextLine& line : parse_text(text, name)) {
    const std::string_view word = split_words(line.text).front();
    longest_ = std::max(longest_, word.size());
    words_.emplace(word);
  }
}

std::vector<Lexicon::Match> Lexicon::matches(std::span<const std::string_view> characters) const {
  std::vector<Match> found;
  std::string word;
  for (std::size_t begin = 0; begin < characters.size(); ++begin) {
    word = characters[begin];
    for (std::size_t end = begin + 1; end < characters.size() && word.size() < longest_; ++end) {
      word += characters[end];
      if (words_.contains(word))
        found.push_back({static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end + 1), word});
    }
  }
  return found;
}

}  // namespace cavs
