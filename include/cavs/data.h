#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/graph.h"
#include "cavs/version.h"
#include "cavs/vocabulary.h"

namespace cavs::inline v0_1 {
class Lexicon;
}

namespace cavs {
inline namespace CAVS_API v0_1 {

/// Training samples that are read on demand, in the same order in every epoch, for data that do not fit into memory.
/// Not thread-safe.
class SampleStream {
 public:
  virtual ~SampleStream() = default;
  virtual GraphSchema schema() const = 0;
  /// Number of samples in one pass over the data.
  virtual std::int64_t samples() const = 0;
  /// Returns a hash of the data. Equal data have equal hashes.
  virtual std::uint64_t content_hash() const = 0;
  /// Returns to the first sample.
  virtual void rewind() = 0;
  /// The next sample. May be called samples() times after rewind(). @throws UserError if the sample cannot be read.
  virtual InputGraph next() = 0;

 private:
  friend class ShuffleBuffer;
  std::mutex reading_;
  const void* reader_ = nullptr;  // the reader that last called rewind(); other readers must rewind first
};

/// A stream of the graphs that `builder` makes from `samples`, for training only: BuiltGraph::outputs are dropped.
std::shared_ptr<SampleStream> build_graphs(std::shared_ptr<SampleStream> samples, GraphBuilder builder);

struct DataOptions {
  std::int64_t limit = 0;  // number of training samples to keep; 0 means all. `dev` and `words` are those of all data
  std::uint64_t seed = 1;  // seed of generated data
  int min_count = 1;       // words that occur less often in the training data become "<unk>"
  int vocabulary = 0;      // maximum number of words, including "<unk>"; 0 means no maximum
  bool for_prediction = false;  // true if labels and scores, and their columns, may be missing
  bool stream = false;          // true to read the training part as Dataset::stream; each line of text is then a sample
  int steps = 0;                // words per chain of text; 0 means one chain per line. steps=N in the spec has priority
  int spelled_below = 0;  // words of tagged text that occur less often are spelled in characters; 0 means no words
  // The builder of the model's graphs is graph_builder_for(graph_builder, network, schema of the data).
  std::string_view graph_builder = {};  // name of a builder (find_graph_builder), or empty
  const Model* network = nullptr;       // the model, which decides only if graph_builder is empty
  int classes = 0;  // number of classes; 0 means as many as the data have (5 for sst, 10 for listops)
  const std::vector<std::string>* class_names = nullptr;  // a checkpoint's; nullptr means those in the data
  const EdgeNames* edge_names = nullptr;  // a checkpoint's names for edge index ports (jsonl); nullptr means the data's
  std::string_view tag_scheme = {};       // a checkpoint's tag scheme, to which tags are converted; empty means unknown
  const Vocabulary* words = nullptr;      // a checkpoint's vocabulary; nullptr builds one from the training data
  const PortWords* port_words = nullptr;  // a checkpoint's vocabularies for index ports (jsonl); nullptr as for `words`
  const GraphSchema* schema = nullptr;    // a checkpoint's schema, which jsonl lines must fit; nullptr means any schema
  std::shared_ptr<const Lexicon> lexicon = nullptr;  // lexicon of lattices instead of the data's; null means the data's
  /// Texts in memory that replace files of a spec, by file name. Other names in the spec are read as files.
  const std::map<std::string, std::string>* texts = nullptr;
  GraphLimits limits{};
};

/// Sentences and their translations, as read: source[i] and target[i] are a pair.
struct PairedText {
  std::vector<std::string> source, target;
};

struct Dataset {
  GraphSet train{tree_schema()};
  std::shared_ptr<SampleStream> stream{};  // with DataOptions::stream: the training part (`train` is empty); else null
  GraphSet dev{tree_schema()};             // empty if the data have only one part
  Vocabulary words;                        // only <unk> if words are given as ids (jsonl)
  std::vector<std::string> class_names;    // empty if labels are numbers
  EdgeNames edge_names{};       // jsonl with named edges: name of each integer on an edge index port; else empty
  std::string tag_scheme{};     // iob1, iob2, iobes, bmes, bilou, io or none; empty means unknown, mixed or no tags
  int classes = 0;              // number of different labels, or of words for text
  std::string kind;             // kind of the data in the spec, such as "sst"
  std::string spec{};           // argument of load_data
  std::string graph_builder{};  // name of the builder that made the graphs; empty means none
  PortWords port_words{};       // vocabularies of other jsonl ports than "word" and "label"
  std::shared_ptr<const Lexicon> lexicon = nullptr;  // lexicon of lattices; null for other data
  GraphSchema schema = tree_schema();                // schema of the data's graphs, before a builder changes them
  PairedText train_text{}, dev_text{};               // if the samples are pairs of sentences, their texts; else empty
  std::vector<std::string> warnings{};               // messages about parts of the files that may be misread

  /// Number of rows that a lookup table for an index port (of vertices or edges) needs: the number of known words,
  /// classes or names, or 1 + the largest id in jsonl data.
  /// @throws UserError for more than 1,000,000 rows that are also more than 1,000 per vertex (or edge) of jsonl data.
  std::int32_t rows(std::string_view index_port) const;
};

/// Number of rows of a lookup table for an index port: `known`, or 1 + the largest number in the graphs if that is
/// more. Smaller numbers need not occur. The limits keep one mistyped number from filling the memory.
/// @throws UserError for more than 1,000,000 rows that are also more than 1,000 per vertex (or edge).
std::int32_t table_rows(const GraphSet& train, const GraphSet& dev, std::string_view port, std::int32_t known);

/// Reads or generates the data that `spec` names:
///   listops[:train=20000,test=2000,length=50,arguments=5,depth=6,seed=N]    binary-trees[:leaves=256,samples=64,...]
///   random-trees[:train=2000,test=200,leaves=19,...]
///   sst:DIR (train.txt and dev.txt, or .txt.gz)    trees:FILE or trees:train=FILE,dev=FILE    jsonl: likewise
///   conll:FILE or conll:train=FILE,dev=FILE (a token and its tag per line), then
///     [,token=N,tag=N,tags=iob1|iob2|iobes|bmes|bilou|io|none]
///   lattice:FILE,lexicon=FILE or lattice:train=FILE,dev=FILE,lexicon=FILE (a character and its tag per line; likewise)
///   conllu:FILE or conllu:train=FILE,dev=FILE (dependency trees), then [,label=upos|xpos|deprel]
///   sick:DIR (pairs of trees with a score)    weibo:DIR[,words=0]
///   parallel:SOURCE+TARGET or parallel:train=SOURCE+TARGET,dev=SOURCE+TARGET   (lines that are translations)
///   table:FILE,text=COLUMN,label=COLUMN or table:train=FILE,dev=FILE,... (CSV or TSV; also pair=, score=, tree=)
///   tags, lattices, translations, tree-pairs, expressions: [:train=2000,test=200,length=N,vocabulary=1000,seed=N],
///   generated (expressions have a fixed vocabulary)    moving-shapes: likewise, but without words
///   text:FILE or text:train=FILE,dev=FILE, then [,vocabulary=N,steps=N]    markov[:train=2000,test=200,length=20,...]
/// @throws UserError with the known kinds and keys.
Dataset load_data(const std::string& spec, const DataOptions& options = {});

/// A kind of data that a spec may name.
struct DataKindInfo {
  std::string_view name;
  bool of_files = false;  // true if read from files, false if generated
};
std::vector<DataKindInfo> data_kinds();

/// The names of the files that load_data(spec) reads. @throws UserError for a spec that load_data refuses.
std::vector<std::string> data_files(const std::string& spec);

}  // namespace v0_1
}  // namespace cavs
