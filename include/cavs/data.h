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

/// Training samples that are read when they are needed, always in the same order, once in every epoch: for data that do
/// not fit into memory. Not thread-safe.
class SampleStream {
 public:
  virtual ~SampleStream() = default;
  virtual GraphSchema schema() const = 0;
  /// The number of samples in one pass over the data, from rewind() on.
  virtual std::int64_t samples() const = 0;
  /// A hash of the data: equal for equal data.
  virtual std::uint64_t content_hash() const = 0;
  /// Back to the first sample.
  virtual void rewind() = 0;
  /// The next sample; to be called samples() times after rewind(). @throws UserError if it cannot be read.
  virtual InputGraph next() = 0;

 private:
  friend class ShuffleBuffer;
  std::mutex reading_;
  const void* reader_ = nullptr;  // the last who called rewind(): others begin again
};

/// A stream of the graphs that a model makes of another stream's. Which vertices predict those of the samples is not
/// kept: it is for training.
std::shared_ptr<SampleStream> build_graphs(std::shared_ptr<SampleStream> samples, GraphBuilder builder);

struct DataOptions {
  std::int64_t limit = 0;               // keeps the first N training samples; 0: all. Shortens neither dev nor words
  std::uint64_t seed = 1;               // of the generators
  int min_count = 1;                    // words that occur less often in the training data are "<unk>"
  int vocabulary = 0;                   // maximum size, <unk> included; 0: no maximum
  bool for_prediction = false;          // samples may be without labels: columns of labels or scores may be missing
  bool stream = false;                  // gives the training part as Dataset::stream; for text, a line per sample
  int steps = 0;                        // cuts text into chains of N words; 0: a chain per line. steps=N in a spec wins
  int spelled_below = 0;                // tagged text: words with fewer occurrences get spellings; 0: none
  std::string_view graph_builder = {};  // the model's; empty: graphs stay as they were read, but see `network`
  const Model* network = nullptr;       // if this model is a network, graphs are made for it (network_builder)
  int classes = 0;                      // number of classes; 0: as many as the data have (sst 5, listops 10)
  const std::vector<std::string>* tags = nullptr;    // names of the classes, of a checkpoint; nullptr: from the data
  const EdgeNames* edge_names = nullptr;             // of a checkpoint, likewise; of jsonl
  std::string_view tag_scheme = {};                  // of a checkpoint: tags are converted to it; empty: unknown
  const Vocabulary* words = nullptr;                 // of a checkpoint; nullptr: built from the training data
  const PortWords* port_words = nullptr;             // of a checkpoint, likewise; of jsonl
  const GraphSchema* schema = nullptr;               // of a checkpoint, which jsonl lines must fit; nullptr: any
  std::shared_ptr<const Lexicon> lexicon = nullptr;  // of lattices; goes before that of the data
  /// Texts in memory, by the names of files that they stand for in a spec; for kinds of data whose spec names files. A
  /// name that is not here is a file's.
  const std::map<std::string, std::string>* texts = nullptr;
  GraphLimits limits{};
};

/// Sentences and their translations, as they were read: source[i] and target[i] are a pair.
struct PairedText {
  std::vector<std::string> source, target;
};

struct Dataset {
  GraphSet train{tree_schema()};
  std::shared_ptr<SampleStream> stream{};  // with DataOptions::stream: in place of train, which is then empty
  GraphSet dev{tree_schema()};             // empty where the data have one part only
  Vocabulary words;                        // <unk> alone where words come as ids (jsonl)
  std::vector<std::string> tags;           // names of the classes, where labels are names; else empty
  EdgeNames edge_names{};                  // of ports whose numbers are written as names (jsonl); else empty
  std::string
      tag_scheme{};  // of tagged sentences: iob1, iob2, iobes, bmes, bilou, io or none; empty: unknown, or mixed
  int classes = 0;   // number of different labels; for text, of words
  std::string kind;
  std::string spec{};           // as load_data was given it
  std::string graph_builder{};  // that made the graphs (DataOptions::graph_builder); empty: none
  PortWords port_words{};       // of the index ports at which jsonl has text, but for "word" and "label"
  std::shared_ptr<const Lexicon> lexicon = nullptr;  // of lattices of text; else null
  GraphSchema schema = tree_schema();   // of the graphs as they were read, before the model's graph builder
  PairedText train_text{}, dev_text{};  // the text of each sample, if samples are pairs of sentences; else empty
  std::vector<std::string> warnings{};  // of what may be read otherwise than it is meant, for people

  /// Rows that a lookup table of an index port (of vertices or edges) needs: the number of words, classes or names that
  /// are known, or 1 + the largest id of jsonl data.
  /// @throws UserError for more than 1,000,000 rows and more than 1,000 per vertex (or edge) of jsonl data.
  std::int32_t rows(std::string_view index_port) const;
};

/// Rows of a lookup table of an index port: `known`, or more where a graph has a larger number. Numbers may have gaps,
/// but one mistyped number must not cost a table that fills the memory.
/// @throws UserError for more than 1,000,000 rows and more than 1,000 per vertex (or edge).
std::int32_t table_rows(const GraphSet& train, const GraphSet& dev, std::string_view port, std::int32_t known);

/// Reads or generates what `spec` names:
///   listops[:train=20000,test=2000,length=50,arguments=5,depth=6,seed=N]    binary-trees[:leaves=256,samples=64,...]
///   random-trees[:train=2000,test=200,leaves=19,...]
///   sst:DIR (train.txt and dev.txt, or .txt.gz)    trees:FILE or trees:train=FILE,dev=FILE    jsonl: the same
///   conll:FILE or conll:train=FILE,dev=FILE (a token and its tag per line), then
///     [,token=N,tag=N,tags=iob1|iob2|iobes|bmes|bilou|io|none]
///   lattice:FILE,lexicon=FILE or lattice:train=FILE,dev=FILE,lexicon=FILE (a character and its tag per line; likewise)
///   conllu:FILE or conllu:train=FILE,dev=FILE (dependency trees), then [,label=upos|xpos|deprel]
///   sick:DIR (pairs of trees with a score)    weibo:DIR[,words=0]
///   parallel:SOURCE+TARGET or parallel:train=SOURCE+TARGET,dev=SOURCE+TARGET   (lines that are translations)
///   table:FILE,text=COLUMN,label=COLUMN or table:train=FILE,dev=FILE,... (CSV or TSV; also pair=, score=, tree=)
///   tags, lattices, translations, tree-pairs, expressions: [:train=2000,test=200,length=N,vocabulary=1000,seed=N],
///   generated (expressions have words of their own)    moving-shapes: the same without words
///   text:FILE or text:train=FILE,dev=FILE, then [,vocabulary=N,steps=N]    markov[:train=2000,test=200,length=20,...]
/// @throws UserError naming the known kinds and keys.
Dataset load_data(const std::string& spec, const DataOptions& options = {});

/// A kind of data that a spec may name.
struct DataKindInfo {
  std::string_view name;
  bool of_files = false;  // else generated
};
std::vector<DataKindInfo> data_kinds();

/// The names of the files that load_data(spec) reads. @throws UserError for a spec that load_data refuses.
std::vector<std::string> data_files(const std::string& spec);

}  // namespace v0_1
}  // namespace cavs
