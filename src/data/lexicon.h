#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace cavs::inline v0_1 {

/// The words that a lattice may have arcs for.
class Lexicon {
 public:
  struct Match {
    std::int32_t begin = 0, end = 0;  // characters [begin, end)
    std::string word;
  };

  Lexicon() = default;  // of no words
  /// A word a line; what stands behind it (a frequency, say) is not read. @throws UserError on text that is not UTF-8
  /// or has no word.
  Lexicon(std::string_view text, const std::string& name);

  /// All words that can be matched, ordered by their bytes, with a blank between them: what from_words() takes.
  std::string words() const;
  static Lexicon from_words(std::string_view words);

  /// The words of two characters or more in a sentence, by begin and end. Cost: characters times longest word.
  std::vector<Match> matches(std::span<const std::string_view> characters) const;

 private:
  void add(std::string_view word);

  std::unordered_set<std::string> words_;
  std::size_t longest_ = 0;  // bytes
};

}  // namespace cavs::inline v0_1
