#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/graph.h"
#include "cavs/graph_builder.h"
#include "cavs/vocabulary.h"

namespace cavs {

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

}  // namespace cavs
