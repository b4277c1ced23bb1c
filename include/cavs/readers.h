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

/// A chain of chain_schema() for language models: vertex t has child t - 1 (the first none) and reads word t - 1 (the
/// first reads `before`, which is "<eos>" where a line begins) and has word t as label.
InputGraph to_chain(std::int32_t before, std::span<const std::int32_t> words);

/// A chain of chain_schema() for taggers: vertex t has child t - 1, reads word t and has its tag as label.
InputGraph to_tagged_chain(std::span<const std::int32_t> words, std::span<const std::int32_t> labels);

/// The schema of chains whose rare words are spelled: types "token" and "character"; index ports "word", "label",
/// "character" (at a character vertex: a byte of UTF-8), "first" and "last" (at a token: the vertices of the first and
/// the last character of its word).
GraphSchema spelled_chain_schema();

/// A graph of spelled_chain_schema(): the chain that to_tagged_chain() makes, and a chain of characters for each word
/// whose spelling is not empty. Such a word is absent from the port "word".
InputGraph to_spelled_chain(std::span<const std::int32_t> words, std::span<const std::int32_t> labels,
                            std::span<const std::string> spellings);

/// The schema of lattices: types "character", "word" (arcs) and "position"; index ports "word" and "label".
GraphSchema lattice_schema();

/// A word of a lattice: an arc over characters [begin, end).
struct LatticeWord {
  std::int32_t begin = 0, end = 0, id = 0;
};

/// The lattice of a sentence, of lattice_schema(). It has a position before the first character, which has no children,
/// and one after each character, which has that character's label. The children of a position are the arcs that end
/// there, the character's first, then those of words; the child of an arc is the position where the arc begins.
/// @throws UserError if a word is not inside the sentence, or if the number of labels is not that of the characters.
/// Cost: linear, and sorting the words.
InputGraph to_lattice(std::span<const std::int32_t> characters, std::span<const LatticeWord> words,
                      std::span<const std::int32_t> labels);

/// The schema of pairs of sentences: types "encoder" and "decoder"; index ports "word" and "label".
GraphSchema translation_schema();

/// A pair of sentences, of translation_schema(). A chain of encoder vertices reads the source; its last vertex is the
/// child of the first decoder vertex. Decoder vertex t has word t of the target as label, and reads word t - 1; the
/// first one reads `before`. @throws UserError if either sentence is empty.
InputGraph to_translation(std::span<const std::int32_t> source, std::int32_t before,
                          std::span<const std::int32_t> target);

/// The input graph of a tree, of tree_schema(). Vertices keep their numbers; a vertex without a word has word -1.
InputGraph to_graph(const Tree& tree, const Vocabulary& words);

struct TreebankOptions {
  int classes = 0;              // labels are 0 .. classes - 1; 0: any label below 1,000,000
  bool require_labels = false;  // every bracket must have an integer label, and then one word or further brackets
  std::int64_t first_line = 1;  // of the text in its file
  const std::vector<std::string>* tags = nullptr;  // names of the classes, which labels may have; null: they have none
};

/// Bracketed trees such as "(3 (2 It) (4 works))", with any number of children. A line may hold several trees, and a
/// tree may go over several lines. Without require_labels, words need no brackets, and a label that is no integer
/// ("NP") is one of `tags`, or counts as no label where there are none. @throws UserError for other text. Cost: linear;
/// only memory limits the depth.
std::vector<Tree> parse_treebank(std::string_view text, const std::string& name, const TreebankOptions& options = {});

/// Expressions such as "[MAX 2 9 [MIN 4 7] 0]". Every operator vertex has its token as word and its value as label;
/// digits have their token and no label. SUM_MOD is read as SM.
std::vector<Tree> parse_listops(std::string_view text, const std::string& name, std::int64_t first_line = 1);

/// The tag of a token that belongs to no entity.
inline constexpr std::string_view kOutside = "O";

/// A sentence as it was read: views of the text that was parsed.
struct TaggedSentence {
  std::vector<std::string_view> tokens, tags;  // of one length; a tag is empty where there is none
  std::int64_t line = 0;                       // of its first token, from 1
};

struct JsonlOptions {
  const GraphSchema* schema = nullptr;  // the schema that every line must fit; nullptr: derived from the lines
  GraphLimits limits{};
  std::int64_t limit = 0;  // keeps only the first N graphs; 0: all. A derived schema is always that of all lines
  const Vocabulary* words = nullptr;               // what words that are written as text stand for; null: refused
  const std::vector<std::string>* tags = nullptr;  // what labels that are written as text stand for; null: refused
  const PortWords* port_words = nullptr;           // what text at other index ports stands for; null: refused
  const EdgeNames* edge_names = nullptr;           // what names at index ports of edges stand for; null: refused
};

/// JSON Lines, one graph per line (docs/reference/data-formats.md). A schema that is derived from the lines has the
/// types "leaf" and "inner", then others in the order in which they appear; its ports are "word" (if it occurs) and
/// "label" (always), then the others by name.
GraphSet parse_jsonl(std::string_view text, const std::string& name, const JsonlOptions& options = {});

/// The lines of a text that are not blank. @throws UserError if all are blank. Cost: linear; a line may have any
/// length.
std::vector<TextLine> parse_text(std::string_view text, const std::string& name, std::int64_t first_line = 1);

/// The text of a whole file, unzipped if it is gzip. @throws UserError if the file cannot be read or is cut off, or if
/// the text has more than `max_bytes`.
std::string read_text_file(const std::string& path, std::int64_t max_bytes = std::int64_t{2} << 30);

/// A text file, or a gzip of one, as a stream. Reading from the stream throws UserError if the file cannot be read.
class TextFile {
 public:
  /// @throws UserError if the file cannot be opened.
  explicit TextFile(const std::string& path);
  TextFile(TextFile&&) noexcept;
  ~TextFile();

  std::istream& stream();
  /// How much of the file has been read, from 0 to 1; 0 of a pipe.
  double share() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What a sample says in words.
struct SampleText {
  std::vector<std::string> tokens{};     // of a sentence, a dependency tree or a lattice, in their order; else empty
  std::vector<std::int32_t> vertices{};  // [tokens]: where the class of each is predicted
  std::vector<std::string> expected{};   // [tokens]: the classes that are given, by name; empty where none are
  std::string where{};                   // in messages: "stdin:3", where the sample begins
};

/// Samples for prediction.
struct Samples {
  std::vector<Tree> trees;  // one for each graph; empty where the sample was no tree in brackets
  GraphSet graphs{tree_schema()};
  std::vector<SampleText> texts{};  // one for each graph
};

/// The words of lattices: the first of each line of a file. @throws UserError if it cannot be read or has no word.
std::shared_ptr<const Lexicon> read_lexicon(const std::string& path);

/// How samples are read; sample_options() gives what a trained model wants.
struct SampleOptions {
  Vocabulary words{};
  GraphSchema schema = tree_schema();
  int classes = 0;  // as in TreebankOptions
  GraphLimits limits{};
  std::string name = "stdin";
  bool ids_only = false;                    // accepts JSON lines alone: the vocabulary has no words
  std::string form{};                       // that all samples have; empty: what each looks like
  std::string data_kind{};                  // that the model was trained on, as a data spec names it
  std::vector<std::string> text_columns{};  // of a table: its columns of texts, one or two; else empty
  PortWords port_words{};                   // of other index ports than "word" and "label"
  std::vector<std::string> tags{};          // names of the classes, which labels may have; else empty
  EdgeNames edge_names{};                   // as in Dataset
  std::string tag_scheme{};                 // as in Dataset
  int token_column = 0, tag_column = 0;     // of CoNLL's columns, from 1; 0: not named (docs/reference/data-formats.md)
  std::string label_column{};               // of CoNLL-U: upos (where empty), xpos or deprel
  std::shared_ptr<const Lexicon> lexicon = nullptr;  // of lattices; null: unknown
};

/// The names of the forms that samples may have: texts, trees, expressions, dependencies, conllu, pairs, sentences,
/// conll and jsonl (docs/guide/predicting.md).
std::vector<std::string_view> input_form_names();

/// Reads samples from a stream as they come, in any form that fits the model. @throws UserError that shows an example
/// of what it can take.
class SampleReader {
 public:
  /// The stream must outlive the reader.
  SampleReader(std::istream& in, SampleOptions options);
  /// The next samples: `max_samples`, or a few more, since a line is not split; fewer at the end of the stream, then
  /// none. @throws UserError naming the line that cannot be read.
  Samples next(std::int64_t max_samples);

 private:
  bool add_chunk(Samples& samples);
  bool take_line(std::string& line);
  std::string look_ahead(const std::string& line);
  const InputForm& guess(std::string_view text, const std::string& where);

  std::istream& in_;
  SampleOptions options_;
  std::int64_t line_ = 0;            // lines taken so far
  std::deque<std::string> ahead_;    // lines that were read to see what the line before them is
  std::int64_t sentences_left_ = 0;  // lines ahead that are known to be sentences
  std::size_t columns_ = 0;          // of the last sentence in columns; 0: there was none
};

/// All samples of a text at once.
Samples parse_samples(std::string_view text, SampleOptions options);

/// Samples for prediction, a few at a time.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  /// The next samples, `most` or a few more; fewer at the end, none after it. @throws UserError as SampleReader does.
  virtual Samples next(std::int64_t most) = 0;
  /// How much has been read, from 0 to 1.
  virtual double share() const = 0;
};

struct DataOptions;
/// The samples of a part ("dev", where the data have one, or "train") of the data that a spec names. Files that a
/// SampleReader can read are read as samples are asked for; other data are in memory. The tokens of generated sentences
/// and lattices are their words.
/// @throws UserError as load_data does, or where the data do not fit the model.
std::unique_ptr<SampleSource> open_samples(const std::string& spec, const std::string& part, SampleOptions reading,
                                           const DataOptions& loading);

}  // namespace v0_1
}  // namespace cavs
