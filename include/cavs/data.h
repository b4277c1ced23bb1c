#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cavs/graph.h"
#include "cavs/graph_builder.h"

namespace cavs {

class Zipf;

/// One tree as it was read: flat, words kept as text. Vertices stand in the order of their opening brackets, so the
/// root is vertex 0 and a parent stands before its children, which stand in order.
struct Tree {
  std::vector<std::int32_t> parents;    // [V]; -1 at the root
  std::vector<std::int32_t> labels;     // [V]; -1 is none
  std::vector<std::int64_t> word_ends;  // [V]; the word of v is text[word_ends[v - 1], word_ends[v])
  std::string text;                     // all words, one after the other
  std::int64_t line = 0;                // where the tree begins, from 1; 0 if it was not read

  std::int32_t size() const { return static_cast<std::int32_t>(parents.size()); }
  /// Empty where the vertex has no word.
  std::string_view word(std::int32_t vertex) const {
    const auto begin = vertex == 0 ? 0 : word_ends[vertex - 1];
    return std::string_view(text).substr(begin, word_ends[vertex] - begin);
  }
  /// Appends a vertex under `parent` (-1: the root) and returns its id.
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

/// The words that a model knows; a word's id is its row in the embedding table. Id 0 is "<unk>", for all others.
/// Immutable; reading is thread-safe.
class Vocabulary {
 public:
  static constexpr std::string_view kUnknown = "<unk>";
  static constexpr std::string_view kEndOfLine = "<eos>";

  Vocabulary() : Vocabulary({"<unk>"}) {}
  /// Takes the words in the order of their ids, as words() gives them (say, from a checkpoint).
  /// @throws UserError unless the first is "<unk>" and no word is empty or stands twice.
  explicit Vocabulary(std::vector<std::string> words);

  /// The words that stand at least `min_count` times in the trees: by count, most frequent first, equal counts by
  /// bytes. So the rows that are read most lie together, and the order of the samples does not matter. `most`: the size
  /// that is not exceeded, "<unk>" included, however often the others stand there; 0: any.
  static Vocabulary from_trees(std::span<const Tree> trees, int min_count = 1, std::int32_t most = 0);

  /// The same of lines of text. Id 1 is "<eos>", which ends every line and counts in `most`.
  static Vocabulary from_lines(std::span<const TextLine> lines, int min_count = 1, std::int32_t most = 0);

  std::int32_t size() const { return static_cast<std::int32_t>(words_.size()); }
  const std::vector<std::string>& words() const { return words_; }
  const std::string& word(std::int32_t id) const { return words_[id]; }
  /// 0 where the word is not known. Allocates nothing.
  std::int32_t id(std::string_view word) const;

 private:
  struct Hash {
    using is_transparent = void;  // so that a string_view is looked up as it is
    std::size_t operator()(std::string_view word) const { return std::hash<std::string_view>{}(word); }
  };
  std::vector<std::string> words_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> ids_;
};

/// The schema of chains of words: type "token"; index ports "word" and "label".
GraphSchema chain_schema();

/// A chain of chain_schema() for language models: vertex t has child t - 1 (the first none), reads word t - 1 (the
/// first reads `before`, which is "<eos>" where a line begins) and has word t as label.
InputGraph to_chain(std::int32_t before, std::span<const std::int32_t> words);

/// A chain of chain_schema() for taggers: vertex t has child t - 1, reads word t and has its tag as label.
InputGraph to_tagged_chain(std::span<const std::int32_t> words, std::span<const std::int32_t> labels);

/// The schema of chains whose rare words are spelled: types "token" and "character"; index ports "word", "label",
/// "character" (of a character vertex: a byte of UTF-8), "first" and "last" (of a token: its word's first and last
/// character's vertices).
GraphSchema spelled_chain_schema();

/// A chain of spelled_chain_schema(): that of to_tagged_chain(), and a chain of characters for each word that has a
/// spelling; the word itself is then absent.
InputGraph to_spelled_chain(std::span<const std::int32_t> words, std::span<const std::int32_t> labels,
                            std::span<const std::string> spellings);

/// The schema of lattices: types "character", "word" (arcs) and "position"; index ports "word" and "label".
GraphSchema lattice_schema();

/// A word of a lattice: an arc over characters [begin, end).
struct LatticeWord {
  std::int32_t begin = 0, end = 0, id = 0;
};

/// The lattice of a sentence, of lattice_schema(): a position before the first character (no children) and one behind
/// each, with its label; a position's children are the arcs that end there (the character's, then those of words), an
/// arc's child is the position where it begins.
/// @throws UserError if a word does not fit, or there is not a label a character. Cost: linear but for sorting words.
InputGraph to_lattice(std::span<const std::int32_t> characters, std::span<const LatticeWord> words,
                      std::span<const std::int32_t> labels);

/// The schema of pairs of sentences: types "encoder" and "decoder"; index ports "word" and "label".
GraphSchema translation_schema();

/// A pair of sentences, of translation_schema(): a chain of encoder vertices that read the source, whose last is the
/// child of the first decoder vertex; that reads `before`, the others the target's word before theirs, which they have
/// as label. @throws UserError if either sentence is empty.
InputGraph to_translation(std::span<const std::int32_t> source, std::int32_t before,
                          std::span<const std::int32_t> target);

/// Pixels of a side of the frames that films have (moving-shapes).
inline constexpr int kFrameSide = 16;

/// The input graph of a tree, of tree_schema(): vertices keep their numbers; a vertex without a word has word -1.
InputGraph to_graph(const Tree& tree, const Vocabulary& words);

// ---- Readers. `name` and the line start every error message: "train.txt:17: ...". Text must be UTF-8. ----

struct TreebankOptions {
  int classes = 0;              // labels are 0 .. classes - 1; 0: any label below 1,000,000
  bool require_labels = false;  // every bracket holds an integer label and one word, or a label and brackets
  std::int64_t first_line = 1;  // of the text in its file
};

/// Bracketed trees, "(3 (2 It) (4 works))": any number of children, any number of trees a line, trees over several
/// lines. Without require_labels a label that is no integer ("NP") counts as none, words may stand without brackets.
/// @throws UserError. Cost: linear; depth is bounded by memory alone.
std::vector<Tree> parse_treebank(std::string_view text, const std::string& name, const TreebankOptions& options = {});

/// Expressions such as "[MAX 2 9 [MIN 4 7] 0]". Every operator vertex has its token as word and its value as label;
/// digits have their token and no label. SUM_MOD is read as SM.
std::vector<Tree> parse_listops(std::string_view text, const std::string& name, std::int64_t first_line = 1);

/// The tag of what belongs to no entity.
inline constexpr std::string_view kOutside = "O";

/// A sentence as it was read: views of the text that was parsed.
struct TaggedSentence {
  std::vector<std::string_view> tokens, tags;  // of one length
  std::int64_t line = 0;                       // of its first token, from 1
};

struct JsonlOptions {
  const GraphSchema* schema = nullptr;  // that every line must fit
  GraphLimits limits{};
  std::int64_t limit = 0;  // keeps the first graphs; 0: all. The schema is that of all lines
};

/// JSON Lines, one graph per line (docs/data-formats.md). Without a schema it follows from the lines: types "leaf" and
/// "inner" first, then others as they appear; ports by name, "word" and "label" first; "label" is always there.
GraphSet parse_jsonl(std::string_view text, const std::string& name, const JsonlOptions& options = {});

/// The lines of a text that are not blank. @throws UserError if there is none. Cost: linear; a line may have any
/// length.
std::vector<TextLine> parse_text(std::string_view text, const std::string& name, std::int64_t first_line = 1);

/// A whole file, unzipped if it is gzip. @throws UserError if it cannot be read, is cut off or larger than `most`.
std::string read_text_file(const std::string& path, std::int64_t most = std::int64_t{2} << 30);

// ---- Generators. Sample i depends on (seed, i) and the options alone: the same on every machine, in any order. ----

struct ListOpsOptions {
  int length = 50;        // tokens of an expression at most: operators, digits and closing brackets; at least 4
  int max_arguments = 5;  // of an operator, at least 2
  int max_depth = 6;      // operators inside one another, at least 1
};
enum class Split { kTrain, kTest };

/// Drawn as Nangia and Bowman (2018) do: an argument is an operator with probability 1/4. No expression of one split
/// is in the other (a hash of its text decides); within a split short ones repeat.
Tree generate_listops(const ListOpsOptions& options, std::uint64_t seed, Split split, std::int64_t i);

/// A complete binary tree (of 2 leaves - 1 vertices, the last level filled from the left): random words with ids
/// 1 .. vocabulary - 1 at the leaves, a random label at the root.
InputGraph generate_binary_tree(int leaves, int vocabulary, int classes, std::uint64_t seed, std::int64_t i);

struct RandomTreeOptions {
  int leaves = 19;         // 1 to 2 leaves - 1, all equally often (the Stanford treebank has 19.1 on average)
  int vocabulary = 1'000;  // ids of words are 1 .. vocabulary - 1, drawn with a frequency of 1/rank; at least 2
  int classes = 5;         // of labels, at least 1
};

/// Strictly binary trees, split at random, with a label at every vertex that can be learned: a word has one of its own,
/// and an inner vertex the mean of its children's, rounded up, or the mirror image of the right child's where the left
/// one is a "negation" (a word whose id is a multiple of 8). Words are "wN". The root is vertex 0.
class RandomTreeSource {
 public:
  /// @throws UserError for an option out of range. Cost: linear in the vocabulary.
  RandomTreeSource(const RandomTreeOptions& options, std::uint64_t seed);
  Tree tree(Split split, std::int64_t i) const;

 private:
  RandomTreeOptions options_;
  std::uint64_t seed_;
  std::shared_ptr<const Zipf> ranks_;
};

struct MarkovOptions {
  int vocabulary = 1'000;  // ids: 0 <unk>, 1 <eos>, then the words, the most frequent first; at least 3
  int length = 20;         // words of a sentence without <eos>: 1 to 2 length - 1, all equally often; at least 1
};

/// A language that can be learned: every word has four favourite successors, drawn by the seed, one of which follows it
/// three times in four (1/2, 1/4, 1/8, 1/8 of these); else any word does. Words are drawn with a frequency of 1/rank.
class MarkovSource {
 public:
  /// @throws UserError for a vocabulary below 3 or above 10,000,000, or a length below 1. Cost: linear in the
  /// vocabulary.
  MarkovSource(const MarkovOptions& options, std::uint64_t seed);
  /// The ids of sentence i, ending in <eos>.
  std::vector<std::int32_t> sentence(Split split, std::int64_t i) const;
  /// Exactly `steps` ids (at least 1) of sentences one after the other, the last one cut off.
  std::vector<std::int32_t> chain(Split split, std::int64_t i, std::int64_t steps) const;
  /// "<unk>", "<eos>", "w2", "w3", ...
  Vocabulary words() const;

 private:
  template <typename IsComplete>
  std::vector<std::int32_t> draw(Split split, std::int64_t i, IsComplete is_complete) const;
  std::int32_t word_at(std::uint32_t random) const;
  std::int32_t favourite(std::int32_t word, std::uint32_t rank) const;

  MarkovOptions options_;
  std::uint64_t seed_;
  std::shared_ptr<const Zipf> ranks_;
};

struct RandomDagOptions {
  int vertices = 20;  // at least 1
  int min_arity = 1;  // child slots of a vertex that is no leaf
  int max_arity = 3;
  int types = 1;
  float leaf = 0.25F;  // probability that a vertex has no slots
  float absent = 0;    // probability that a slot is empty
};

/// For tests: shared children, several roots, absent children, vertices in shuffled order. No pulls.
InputGraph generate_dag(const RandomDagOptions& options, std::uint64_t seed, std::int64_t i);

// ---- Data sets ----

/// Training samples that are read when they are needed, in one order, as often as there are epochs: for data that do
/// not fit into memory. Not thread-safe.
class SampleStream {
 public:
  virtual ~SampleStream() = default;
  virtual GraphSchema schema() const = 0;
  /// Of one pass.
  virtual std::int64_t samples() const = 0;
  /// Equal for equal data.
  virtual std::uint64_t content_hash() const = 0;
  /// Back to the first sample.
  virtual void rewind() = 0;
  /// The next sample; to be called samples() times after rewind(). @throws UserError if it cannot be read.
  virtual InputGraph next() = 0;
};

struct DataOptions {
  std::int64_t limit = 0;               // first N training samples; 0: all. Neither dev nor the vocabulary is cut
  std::uint64_t seed = 1;               // of the generators
  int min_count = 1;                    // of a word in the training data
  int vocabulary = 0;                   // maximum size, <unk> included; 0: no maximum
  bool stream = false;                  // the training part as Dataset::stream; for text with one line per sample
  int steps = 0;                        // text as chains of so many words, where the spec does not say; 0: of its lines
  int spelled_below = 0;                // words of tagged text with fewer occurrences are spelled; 0: none
  std::string_view graph_builder = {};  // of the model; empty: graphs stay as they were read, but see `network`
  const Model* network = nullptr;       // if this model is a network, its graphs are made
  int classes = 0;                      // 0: as the data say (sst 5, listops 10)
  const std::vector<std::string>* tags = nullptr;  // of a checkpoint: the names of its classes
  const Vocabulary* words = nullptr;               // of a checkpoint, instead of one built from the data
  const GraphSchema* schema = nullptr;             // of a checkpoint: jsonl lines must fit it
  GraphLimits limits{};
};

/// Lines that are translations of each other, as they were read.
struct PairedText {
  std::vector<std::string> source, target;
};

struct Dataset {
  GraphSet train{tree_schema()};
  std::shared_ptr<SampleStream> stream{};  // in place of train, which is then empty
  GraphSet dev{tree_schema()};             // empty where the data have one part only
  Vocabulary words;                        // <unk> alone where words come as ids (jsonl)
  std::vector<std::string> tags;           // names of the classes, where these are tags; else empty
  int classes = 0;                         // of text: its words
  std::string kind;
  GraphSchema schema = tree_schema();   // of the graphs as they were read, before the model's graph builder
  PairedText train_text{}, dev_text{};  // of pairs of sentences: the text of each sample; else empty

  /// Rows that a lookup table needs for an index port: words.size(), classes, or 1 + the largest id of jsonl data.
  std::int32_t rows(std::string_view index_port) const;
};

/// Reads or generates what `spec` names:
///   listops[:train=20000,test=2000,length=50,arguments=5,depth=6,seed=N]    binary-trees[:leaves=256,samples=64,...]
///   random-trees[:train=2000,test=200,leaves=19,...]
///   sst:DIR (train.txt and dev.txt, or .txt.gz)    trees:FILE or trees:train=FILE,dev=FILE    jsonl: the same
///   conll:FILE or conll:train=FILE,dev=FILE (a token and its tag per line), then [,tags=iob1|iob2|iobes]
///   conllu:FILE or conllu:train=FILE,dev=FILE (dependency trees), then [,label=upos|xpos|deprel]
///   sick:DIR (pairs of trees with a score)    weibo:DIR[,words=0]
///   parallel:SOURCE+TARGET or parallel:train=SOURCE+TARGET,dev=SOURCE+TARGET   (lines that are translations)
///   tags, lattices, translations, tree-pairs, expressions: [:train=2000,test=200,length=N,vocabulary=1000,seed=N],
///   generated (expressions have words of their own)    moving-shapes: the same without words
///   text:FILE or text:train=FILE,dev=FILE, then [,vocabulary=N,steps=N]    markov[:train=2000,test=200,length=20,...]
/// @throws UserError naming the known kinds and keys.
Dataset load_data(const std::string& spec, const DataOptions& options = {});

/// The files that load_data(spec) reads. @throws UserError as load_data does where the spec makes no sense.
std::vector<std::string> data_files(const std::string& spec);

/// Samples for prediction. Trees and ListOps expressions fit tree_schema() only.
struct Samples {
  std::vector<Tree> trees;  // one a graph; empty for a JSON line
  GraphSet graphs{tree_schema()};
};

struct SampleOptions {
  Vocabulary words{};
  GraphSchema schema = tree_schema();
  int classes = 0;  // as in TreebankOptions
  GraphLimits limits{};
  std::string name = "stdin";
  bool ids_only = false;  // refuses words, of which the vocabulary has none; JSON lines give ids
};

/// Reads samples from a stream as they come; each may be a tree "(", a ListOps expression "[" or a JSON line "{".
class SampleReader {
 public:
  /// The stream must outlive the reader.
  SampleReader(std::istream& in, SampleOptions options);
  /// The next samples, `most` or a few more (a line is not split); fewer at the end, none after it.
  Samples next(std::int64_t most);

 private:
  std::string next_chunk();
  void parse_chunk(std::string_view chunk, Samples& samples) const;

  std::istream& in_;
  SampleOptions options_;
  std::int64_t line_ = 0;        // lines read so far
  std::int64_t chunk_line_ = 0;  // where the current chunk begins
};

/// All samples of a text at once.
Samples parse_samples(std::string_view text, SampleOptions options);

}  // namespace cavs
