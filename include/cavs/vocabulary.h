#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

/// One tree as it was read, in flat arrays, with its words as text. Vertices are in the order of their opening
/// brackets: the root is vertex 0, a parent comes before its children, and siblings keep their order.
struct Tree {
  std::vector<std::int32_t> parents;    // [V]; -1 at the root
  std::vector<std::int32_t> labels;     // [V]; -1: no label
  std::vector<std::int64_t> word_ends;  // [V]; the word of v is text[word_ends[v - 1], word_ends[v])
  std::string text;                     // all words, one after the other
  std::int64_t line = 0;                // line of the file where the tree begins, from 1; 0: not from a file

  std::int32_t size() const { return static_cast<std::int32_t>(parents.size()); }
  /// Empty where the vertex has no word.
  std::string_view word(std::int32_t vertex) const {
    const auto begin = vertex == 0 ? 0 : word_ends[vertex - 1];
    return std::string_view(text).substr(begin, word_ends[vertex] - begin);
  }
  /// Appends a vertex as the last child of `parent` (-1: it is the root) and returns its number.
  std::int32_t add(std::int32_t parent, std::string_view word = {}, std::int32_t label = -1);
  bool operator==(const Tree&) const = default;
};

/// A line of words as it was read: a view of the text that was parsed.
struct TextLine {
  std::string_view text;    // not blank
  std::int64_t number = 0;  // in the file, from 1
};

/// The words of a line: what stands between its spaces.
std::vector<std::string_view> split_words(std::string_view line);

/// The words that a model knows; a word's id is its row in the embedding table. Id 0 is "<unk>", for all other words.
/// Immutable; reading is thread-safe. Copies share the words, so a copy costs nothing.
class Vocabulary {
 public:
  static constexpr std::string_view kUnknown = "<unk>";
  static constexpr std::string_view kEndOfLine = "<eos>";

  Vocabulary() : Vocabulary({"<unk>"}) {}
  /// Takes the words in the order of their ids, as words() gives them (say, from a checkpoint).
  /// @throws UserError unless the first is "<unk>" and no word is empty or occurs twice.
  explicit Vocabulary(std::vector<std::string> words);

  /// The words that occur at least `min_count` times in the trees, the most frequent first; words of equal counts are
  /// sorted by their bytes. So the rows that are read most lie together, and the order of the samples does not matter.
  /// At most `max_size` words are kept, "<unk>" included; 0: no maximum.
  static Vocabulary from_trees(std::span<const Tree> trees, int min_count = 1, std::int32_t max_size = 0);

  /// The same for lines of text. Id 1 is "<eos>", the end of every line; it counts as one of `max_size`.
  static Vocabulary from_lines(std::span<const TextLine> lines, int min_count = 1, std::int32_t max_size = 0);

  // Without moves, which would leave a vocabulary that has no words at all.
  Vocabulary(const Vocabulary&) = default;
  Vocabulary& operator=(const Vocabulary&) = default;
  ~Vocabulary() = default;

  std::int32_t size() const { return static_cast<std::int32_t>(words().size()); }
  const std::vector<std::string>& words() const { return shared_->words; }
  const std::string& word(std::int32_t id) const { return words()[id]; }
  /// The id of a word; 0 if the vocabulary does not have it. Allocates nothing.
  std::int32_t id(std::string_view word) const;

 private:
  struct Shared {
    std::vector<std::string> words;
    std::unordered_map<std::string_view, std::int32_t> ids;  // views of the words
  };
  std::shared_ptr<const Shared> shared_;
};

/// What the ids at index ports stand for, by the name of the port.
using PortWords = std::map<std::string, Vocabulary, std::less<>>;

class Model;
class Parameters;

/// Vectors of words that somebody else has trained.
struct WordVectors {
  std::int32_t width = 0;                  // numbers per word
  std::vector<std::int32_t> ids = {};      // of the words that were found, in the order of the file; each once
  std::vector<float> values = {};          // [ids.size(), width]
  std::int64_t lower_cased = 0;            // of these, words that the file has in lower case only
  std::vector<std::string> warnings = {};  // of what the file has twice, or announces and does not have, for people
};

/// Reads the vectors of the words of a vocabulary from a file, gzipped or not, of one of these forms:
///   GloVe       on each line a word and its numbers
///   word2vec    the number of words and the width in the first line; then as above, or each number as a float of 4
///               bytes (what fastText writes as .vec is the former)
/// A word that the file does not have is looked up in lower case (of ASCII letters). Other words are not kept: memory
/// is that of the vocabulary's vectors. A word with spaces in it (as some of GloVe's have) is read over.
/// @throws UserError naming the file and line (in binary: the word) for a number that is none or not finite, a line of
/// another width, a word of the vocabulary that is there twice, a file that is cut off, a width above 65,536, or where
/// none of the vocabulary's words is found. A fastText model (.bin) is refused, with what to do.
/// Cost: linear in the file.
WordVectors load_vectors(const std::string& path, const Vocabulary& words);

/// Puts them into the rows of a table, those of the words' ids; all other rows stay as they are.
/// @throws UserError if there is no such table, it is of another width, or an id is no row of it.
void set_vectors(Parameters& parameters, const std::string& table, const WordVectors& vectors);

/// The tables that the model reads by the index port `port`, in the order of declaration.
std::vector<std::string> tables_read_by(const Model& model, const std::string& port);

}  // namespace v0_1
}  // namespace cavs
