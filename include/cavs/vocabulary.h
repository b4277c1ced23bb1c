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

/// One tree as read, in flat arrays, with its words as text. Vertices are in the order of their opening brackets: the
/// root is vertex 0, parents precede their children, and siblings keep their order.
struct Tree {
  std::vector<std::int32_t> parents;    // [V]: number of the parent; -1 at the root
  std::vector<std::int32_t> labels;     // [V]; -1 means no label
  std::vector<std::int64_t> word_ends;  // [V]: the word of v is text[word_ends[v - 1], word_ends[v])
  std::string text;                     // all words, concatenated
  std::int64_t line = 0;                // line of the file where the tree begins, from 1; 0 means no file

  std::int32_t size() const { return static_cast<std::int32_t>(parents.size()); }
  /// The word of a vertex; empty if it has none.
  std::string_view word(std::int32_t vertex) const {
    const auto begin = vertex == 0 ? 0 : word_ends[vertex - 1];
    return std::string_view(text).substr(begin, word_ends[vertex] - begin);
  }
  /// Appends a vertex as the last child of `parent` (-1 for the root) and returns its number.
  std::int32_t add(std::int32_t parent, std::string_view word = {}, std::int32_t label = -1);
  bool operator==(const Tree&) const = default;
};

/// A line of words as read: a view of the parsed text.
struct TextLine {
  std::string_view text;    // not blank
  std::int64_t number = 0;  // number of the line in the file, from 1
};

/// The words of a line, which spaces separate.
std::vector<std::string_view> split_words(std::string_view line);

/// The words of a model. A word's id is its row in the embedding table; id 0 is "<unk>", for all other words. Immutable
/// and thread-safe. Copies share the words, so copying is cheap.
class Vocabulary {
 public:
  static constexpr std::string_view kUnknown = "<unk>";
  static constexpr std::string_view kEndOfLine = "<eos>";

  Vocabulary() : Vocabulary({"<unk>"}) {}
  /// Makes a vocabulary of words in the order of their ids, as words() returns them.
  /// @throws UserError unless the first word is "<unk>" and no word is empty or duplicate.
  explicit Vocabulary(std::vector<std::string> words);

  /// The words that occur at least `min_count` times in the trees, the most frequent first, so that the rows of the
  /// embedding table that are read most often are adjacent. Words of equal counts are sorted by bytes, so the order of
  /// samples does not matter. Keeps at most `max_size` words, including "<unk>"; 0 means no maximum.
  static Vocabulary from_trees(std::span<const Tree> trees, int min_count = 1, std::int32_t max_size = 0);

  /// Like from_trees, for lines of text. Id 1 is "<eos>", the end of every line, which counts towards `max_size`.
  static Vocabulary from_lines(std::span<const TextLine> lines, int min_count = 1, std::int32_t max_size = 0);

  // No moves, which would leave a vocabulary without words.
  Vocabulary(const Vocabulary&) = default;
  Vocabulary& operator=(const Vocabulary&) = default;
  ~Vocabulary() = default;

  std::int32_t size() const { return static_cast<std::int32_t>(words().size()); }
  const std::vector<std::string>& words() const { return shared_->words; }
  const std::string& word(std::int32_t id) const { return words()[id]; }
  /// The id of a word; 0 for unknown words. Allocates no memory.
  std::int32_t id(std::string_view word) const;

 private:
  struct Shared {
    std::vector<std::string> words;
    std::unordered_map<std::string_view, std::int32_t> ids;  // views of the words
  };
  std::shared_ptr<const Shared> shared_;
};

/// Vocabularies of index ports, by port name.
using PortWords = std::map<std::string, Vocabulary, std::less<>>;

class Model;
class Parameters;

/// Pretrained word vectors.
struct WordVectors {
  std::int32_t width = 0;                  // numbers per word
  std::vector<std::int32_t> ids = {};      // ids of the words found, in the order of the file; each once
  std::vector<float> values = {};          // [ids.size(), width]
  std::int64_t lower_cased = 0;            // number of words that were found only in lower case
  std::vector<std::string> warnings = {};  // messages about duplicate and missing entries of the file
};

/// Reads the vectors of a vocabulary's words from a file, plain or gzip, in one of these formats:
///   GloVe       a word and its numbers on each line
///   word2vec    the number of words and the width on the first line; then as above (fastText's .vec), or with each
///               number as a float of 4 bytes
/// A word that the file does not have is looked up again with its ASCII letters in lower case. Memory holds only the
/// vectors of the vocabulary. Words with spaces, which some GloVe files have, are skipped.
/// @throws UserError naming the file and line (in binary files, the word) for an invalid or infinite number, a line of
/// another width, a truncated file, a width above 65,536, or if no word of the vocabulary is found; for a fastText
/// model (.bin) with advice. Cost: linear in the file.
WordVectors load_vectors(const std::string& path, const Vocabulary& words);

/// Copies the vectors to the rows of a table, by the words' ids. All other rows stay unchanged.
/// @throws UserError if there is no such table, its width differs, or an id is not a row of the table.
void set_vectors(Parameters& parameters, const std::string& table, const WordVectors& vectors);

/// The tables that the model looks up by index port `port`, in the order of declaration.
std::vector<std::string> tables_read_by(const Model& model, const std::string& port);

}  // namespace v0_1
}  // namespace cavs
