#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace cavs::inline v0_1 {

/// The words for which a lattice has arcs.
class Lexicon {
 public:
  struct Match {
    std::int32_t begin = 0, end = 0;  // characters [begin, end)
    std::string word;
  };

  Lexicon() = default;
  /// Reads one word per line, and ignores the rest of the line (such as a frequency).
  /// @throws UserError if the text is not UTF-8 or has no word.
  Lexicon(std::string_view text, const std::string& name);

  /// Returns all words that can be matched, ordered by bytes and separated by blanks, as from_words() expects them.
  std::string words() const;
  static Lexicon from_words(std::string_view words);

  /// Returns the words that occur in a sentence, with two or more characters, ordered by begin and end. Cost: number of
  /// characters times length of the longest word.
  std::vector<Match> matches(std::span<const std::string_view> characters) const;

 private:
  void add(std::string_view word);

  std::unordered_set<std::string> words_;
  std::size_t longest_ = 0;  // number of bytes of the longest word
};

}  // namespace cavs::inline v0_1
