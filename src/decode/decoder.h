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

/// Translates sentences by decoding them together. Owns its sessions, but only refers to the model.
class Decoder {
 public:
  /// @throws UserError naming what the model lacks.
  Decoder(const TrainedModel& model, const SessionOptions& options);
  /// A decoder for the same model in another thread, which shares packed weights.
  Decoder(const Decoder& other, const SessionOptions& options);

  /// Decodes sentences first, first + stride, first + 2 * stride, ... of `texts`, except those without words. `decoded`
  /// has an element per text.
  void run(std::span<const std::string> texts, std::size_t first, std::size_t stride, const TranslateOptions& options,
           Decoded& decoded);

 private:
  /// A sentence that is being translated.
  struct Sentence {
    std::size_t number = 0;            // position in the texts
    TranslationPattern pattern;        // its source vertices are indices into `source`
    std::vector<std::int32_t> source;  // evaluated vertices of the source
    std::vector<std::int32_t> before;  // [live hypotheses]: vertex of the last word; empty before the first word
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
  // Buffers of a step. Later steps reuse their memory.
  NewVertices vertices_;
  std::vector<std::int32_t> children_, forced_;  // children of one vertex; [vertices]: the forced word of each
  std::vector<ScoredWord> continuations_;
  std::vector<std::int32_t> last_step_;  // evaluated vertices
};

}  // namespace cavs::inline v0_1
