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

/// [sentences]: the best hypotheses of the sentence, best first.
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
    std::size_t number = 0;            // position in the list of texts
    TranslationPattern pattern;        // children of decoder vertices; a source vertex is a position in `source`
    std::vector<std::int32_t> source;  // [source vertices]: the evaluated vertex; -1 if it is not kept
    std::vector<std::int32_t> before;  // [live hypotheses]: evaluated vertex that produced the last word; or empty
    BeamSearch search;
  };

  std::vector<Sentence> start(std::span<const std::string> texts, std::size_t first, std::size_t stride,
                              const TranslateOptions& options) const;
  void encode(std::vector<Sentence>& sentences);
  void add_vertices(const Sentence& sentence);
  void step(std::span<Sentence* const> sentences);

  const Vocabulary& words_;
  std::optional<GraphBuilder> graph_builder_;
  std::int32_t end_;  // id of "<eos>"
  GrowingGraphs graphs_;
  // Buffers of a step. Later steps reuse their memory.
  NewVertices vertices_;
  std::vector<std::int32_t> children_, forced_;  // children of one vertex; [vertices]: the only allowed word, or -1
  std::vector<ScoredWord> continuations_;        // [vertices][words]: the most probable next words
  std::vector<std::int32_t> last_step_;          // evaluated vertices of the last step
};

}  // namespace cavs::inline v0_1
