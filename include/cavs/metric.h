#pragma once

#include <cstdint>

namespace cavs {

/// What tells how good a model is, besides its loss.
enum class Metric : std::uint8_t {
  kAccuracy,    // the share of labels that the port "logits" finds; of all vertices, and of the roots
  kPerplexity,  // exp(mean loss a label): how many words a language model hesitates between
  kF1,          // of tags: of tokens that are not O, and of whole entities
  kCorrelation  // of the numbers that the port "score" finds with those that are given
};

}  // namespace cavs
