#pragma once

#include <cstdint>
#include <deque>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/graph.h"
#include "cavs/version.h"
#include "cavs/vocabulary.h"

namespace cavs::inline v0_1 {
class Lexicon;
struct InputForm;
}

namespace cavs {
inline namespace CAVS_API v0_1 {

/// The schema of chains of words: type "token"; index ports "word" and "label".
GraphSchema chain_schema();

/// Returns a chain of chain_schema() for language models. Vertex t has vertex t - 1 as child, reads word t - 1, and has
/// word t as label. The first vertex has no child and reads `before`, the id of "<eos>" at the beginning of a line.
InputGraph to_chain(std::int32_t before, std::span<const std::int32_t> words);

/// A chain of chain_schema() for taggers. Vertex t has vertex t - 1 as child, reads word t, and has its tag as label.
InputGraph to_tagged_chain(std::span<const std::int32_t> words, std::span<const std::int32_t> labels);

/// The schema of chains whose rare words are spelled: types "token" and "character"; index ports "word", "label",
/// "character" (at character vertices: a byte of UTF-8), "first" and "last" (at tokens: the vertices of the word's
/// first and last characters).
GraphSchema spelled_chain_schema();

/// Returns a graph of spelled_chain_schema(): the chain of to_tagged_chain(), and a chain of characters for each word
/// whose spelling is not empty. Such a word is absent from the port "word".
InputGraph to_spelled_chain(std::span<const std::int32_t> words, std::span<const std::int32_t> labels,
                            std::span<const std::string> spellings);

/// The schema of lattices: types "character", "word" (arcs) and "position"; index ports "word" and "label".
GraphSchema lattice_schema();

/// A word of a lattice: an arc over the characters [begin, end).
struct LatticeWord {
  std::int32_t begin = 0, end = 0, id = 0;
};

/// Returns the lattice of a sentence, a graph of lattice_schema(). One position is before the first character and has
/// no children; one position is after each character and has that character's label. The children of a position are the
/// arcs that end there, first the character, then the words. The child of an arc is the position where the arc begins.
/// @throws UserError if a word is outside the sentence, or if there are not as many labels as characters. Cost: linear,
/// and sorting the words.
InputGraph to_lattice(std::span<const std::int32_t> characters, std::span<const LatticeWord> words,
                      std::span<const std::int32_t> labels);

/// The schema of pairs of sentences: types "encoder" and "decoder"; index ports "word" and "label".
GraphSchema translation_schema();

/// Returns the graph of a pair of sentences, with translation_schema(). A chain of encoder vertices reads the source;
/// its last vertex is the child of the first decoder vertex. Decoder vertex t has word t of the target as label and
/// reads word t - 1; the first decoder vertex reads `before`. @throws UserError if either sentence is empty.
InputGraph to_translation(std::span<const std::int32_t> source, std::int32_t before,
                          std::span<const std::int32_t> target);

/// Returns the graph of a tree, with tree_schema(). Vertices keep their numbers. A vertex without a word has word -1.
InputGraph to_graph(const Tree& tree, const Vocabulary& words);

struct TreebankOptions {
  int classes = 0;              // labels are 0 .. classes - 1; 0 means any label below 1,000,000
  bool require_labels = false;  // requires in every bracket an integer label, then one word or more brackets
  std::int64_t first_line = 1;  // line of the file where the text begins
  const std::vector<std::string>* class_names = nullptr;  // allowed as labels; null means none
};

/// Parses bracketed trees such as "(3 (2 It) (4 works))", with any number of children. A line may contain several
/// trees, and a tree may span several lines. Without require_labels, words need no brackets, and a label that is not an
/// integer ("NP") must be one of `class_names`, or is ignored if there are none. @throws UserError for other text.
/// Cost: linear; only memory limits the depth.
std::vector<Tree> parse_treebank(std::string_view text, const std::string& name, const TreebankOptions& options = {});

/// Parses expressions such as "[MAX 2 9 [MIN 4 7] 0]". An operator vertex has its token as word and its value as label;
/// a digit has its token as word and no label. SUM_MOD is read as SM.
std::vector<Tree> parse_listops(std::string_view text, const std::string& name, std::int64_t first_line = 1);

/// The tag of a token that belongs to no entity.
inline constexpr std::string_view kOutside = "O";

/// A sentence as read: views of the parsed text.
struct TaggedSentence {
  std::vector<std::string_view> tokens, tags;  // of equal length; a missing tag is empty
  std::int64_t line = 0;                       // line of the first token, from 1
};

struct JsonlOptions {
  const GraphSchema* schema = nullptr;  // schema that every line must fit; nullptr derives one from the lines
  GraphLimits limits{};
  std::int64_t limit = 0;  // number of graphs to keep; 0 means all. The schema is derived from all lines in any case
  const Vocabulary* words = nullptr;  // gives the ids of words that are text; null if no word may be text
  const std::vector<std::string>* class_names = nullptr;  // gives the ids of labels that are text; null if none may be
  const PortWords* port_words = nullptr;  // gives the ids of text at other index ports; null if none may be
  const EdgeNames* edge_names = nullptr;  // gives the ids of names at edge index ports; null if none may be
};

/// Parses JSON Lines, one graph per line (docs/reference/data-formats.md). A derived schema has the types "leaf" and
/// "inner", then other types in order of appearance. Its ports are "word" (if it occurs) and "label" (always), then the
/// other ports by name.
GraphSet parse_jsonl(std::string_view text, const std::string& name, const JsonlOptions& options = {});

/// The lines of a text that are not blank. Lines may have any length. @throws UserError if all are blank. Cost: linear.
std::vector<TextLine> parse_text(std::string_view text, const std::string& name, std::int64_t first_line = 1);

/// The text of a file, decompressed if it is gzip. @throws UserError if the file cannot be read or is truncated, or if
/// the text has more than `max_bytes`.
std::string read_text_file(const std::string& path, std::int64_t max_bytes = std::int64_t{2} << 30);

/// A text file, plain or gzip, as a stream. Reading from the stream throws UserError if the file cannot be read.
class TextFile {
 public:
  /// @throws UserError if the file cannot be opened.
  explicit TextFile(const std::string& path);
  TextFile(TextFile&&) noexcept;
  ~TextFile();

  std::istream& stream();
  /// Fraction of the file that has been read, 0 to 1; 0 for a pipe.
  double share() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The text of a sample.
struct SampleText {
  std::vector<std::string> tokens{};     // of a sentence, dependency tree or lattice, in order; else empty
  std::vector<std::int32_t> vertices{};  // [tokens]: the vertex that predicts each token's class
  std::vector<std::string> expected{};   // [tokens]: name of the true class; no elements if unknown
  std::string where{};                   // file and line where the sample begins, for messages: "stdin:3"
};

/// Samples for prediction.
struct Samples {
  std::vector<Tree> trees;  // [samples]; a tree without vertices if the sample was not a bracketed tree
  GraphSet graphs{tree_schema()};
  std::vector<SampleText> texts{};  // [samples]
};

/// Reads the words of lattices: the first word of each line of a file. @throws UserError if the file cannot be read or
/// has no word.
std::shared_ptr<const Lexicon> read_lexicon(const std::string& path);

/// Options for reading samples. sample_options() returns those of a trained model.
struct SampleOptions {
  Vocabulary words{};
  GraphSchema schema = tree_schema();
  int classes = 0;  // as in TreebankOptions
  GraphLimits limits{};
  std::string name = "stdin";               // name of the input, for messages
  bool ids_only = false;                    // true to accept only JSON Lines, because the vocabulary has no words
  std::string form{};                       // form of all samples (input_form_names); empty: guessed for each sample
  std::string data_kind{};                  // kind of the training data, as in a data spec
  std::vector<std::string> text_columns{};  // the one or two text columns of a table; else empty
  PortWords port_words{};                   // vocabularies of index ports except "word" and "label"
  std::vector<std::string> class_names{};   // labels may use them; may be empty
  EdgeNames edge_names{};                   // as in Dataset
  std::string tag_scheme{};                 // as in Dataset
  int token_column = 0, tag_column = 0;  // CoNLL columns, from 1; 0 means the default (docs/reference/data-formats.md)
  std::string label_column{};            // column of CoNLL-U that has the labels: upos (default), xpos or deprel
  std::shared_ptr<const Lexicon> lexicon = nullptr;  // for lattices; null means unknown
};

/// The forms of samples: texts, trees, expressions, dependencies, conllu, pairs, sentences, conll and jsonl
/// (docs/guide/predicting.md).
std::vector<std::string_view> input_form_names();

/// Reads samples from a stream as they arrive, in any form that fits the model. @throws UserError with an example of
/// valid input.
class SampleReader {
 public:
  /// The stream must outlive the reader.
  SampleReader(std::istream& in, SampleOptions options);
  /// Returns the next `max_samples` samples, or a few more, because lines are not split; fewer at the end of the
  /// stream, and then none. @throws UserError naming the line that cannot be read.
  Samples next(std::int64_t max_samples);

 private:
  bool add_chunk(Samples& samples);
  bool take_line(std::string& line);
  std::string look_ahead(const std::string& line);
  const InputForm& guess(std::string_view text, const std::string& where);

  std::istream& in_;
  SampleOptions options_;
  std::int64_t line_ = 0;            // number of lines taken so far
  std::deque<std::string> ahead_;    // lines read in advance to classify an earlier line
  std::int64_t sentences_left_ = 0;  // number of following lines that are known to be sentences
  std::size_t columns_ = 0;          // number of columns of the last sentence in CoNLL form; 0 before the first
};

/// Reads all samples of a text.
Samples parse_samples(std::string_view text, SampleOptions options);

/// Samples for prediction, a few at a time.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  /// The next `most` samples, or a few more; fewer at the end, and then none. @throws UserError as SampleReader does.
  virtual Samples next(std::int64_t most) = 0;
  /// Fraction of the data that has been read, 0 to 1.
  virtual double share() const = 0;
};

struct DataOptions;
/// Opens the part "train", or "dev" if there is one, of the data that a spec names. Files that SampleReader can read
/// are read on demand; other data are loaded into memory. SampleText::tokens of generated sentences and lattices are
/// their words.
/// @throws UserError as load_data does, or if the data do not fit the model.
std::unique_ptr<SampleSource> open_samples(const std::string& spec, const std::string& part, SampleOptions reading,
                                           const DataOptions& loading);

}  // namespace v0_1
}  // namespace cavs
