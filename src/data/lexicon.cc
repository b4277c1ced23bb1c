#include "data/lexicon.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "cavs/readers.h"
#include "cavs/vocabulary.h"

namespace cavs::inline v0_1 {
namespace {

std::ptrdiff_t character_count(std::string_view utf8) {
  return std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

}  // namespace

Lexicon::Lexicon(std::string_view text, const std::string& name) {
  for (const TextLine& line : parse_text(text, name)) add(split_words(line.text).front());
}

void Lexicon::add(std::string_view word) {
  longest_ = std::max(longest_, word.size());
  words_.emplace(word);
}

std::string Lexicon::words() const {
  std::vector<std::string_view> sorted;
  for (const std::string& word : words_)
    if (character_count(word) > 1) sorted.push_back(word);
  std::ranges::sort(sorted);
  return fmt::format("{}", fmt::join(sorted, " "));
}

Lexicon Lexicon::from_words(std::string_view words) {
  Lexicon lexicon;
  for (const std::string_view word : split_words(words)) lexicon.add(word);
  return lexicon;
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

}  // namespace cavs::inline v0_1
