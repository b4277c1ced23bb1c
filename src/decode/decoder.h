#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cavs/decode.h"
#include "cavs/graph.h"
#include "cavs/trained_model.h"
#include "decode/beam_search.h"
#include "decode/growing_graphs.h"
#include "decode/translation_pattern.h"

namespace cavs::inline v0_1 {

/// The best hypotheses of each sentence.
using Decoded = std::vector<std::vector<Hypothesis>>;

/// Translates sentences that are decoded together, with sessions of its own. Refers to the model.
class Decoder {
 public:
  /// @throws UserError naming what the model lacks.
  Decoder(const TrainedModel& model, const SessionOptions& options);
  /// Of the same model, for another thread: shares packed weights.
  Decoder(const Decoder& other, const SessionOptions& options);

  /// Sentences first, first + stride, first + 2 * stride, ... of `texts`; those without words are left out. `decoded`
  /// has an element for each text.
  void run(std::span<const std::string> texts, std::size_t first, std::size_t stride, const TranslateOptions& options,
           Decoded& decoded);

 private:
  /// A sentence on its way.
  struct Sentence {
    std::size_t number = 0;            // among the texts
    TranslationPattern pattern;        // of which the vertices are, once they are evaluated, ...
    std::vector<std::int32_t> source;  // ... these
    std::vector<std::int32_t> before;  // by live hypothesis: its last vertex; none where it has none
    BeamSearch search;
  };

  std::vector<Sentence> start(std::span<const std::string> texts, std::size_t first, std::size_t stride,
                              const TranslateOptions& options) const;
  void encode(std::vector<Sentence>& sentences);
  void add_vertices(const Sentence& sentence);
  void step(std::span<Sentence* const> sentences);

  const Vocabulary& words_;
  std::optional<GraphBuilder> graph_builder_;
  std::int32_t end_;
  GrowingGraphs graphs_;
  // Of a step; their memory is used again.
  NewVertices vertices_;
  std::vector<std::int32_t> children_, forced_;  // of a vertex; by vertex: its hypothesis' forced word
  std::vector<ScoredWord> continuations_;
  std::vector<std::int32_t> last_step_;  // its evaluated vertices
};

}  // namespace cavs::inline v0_1
