#pragma once

#include <cstdint>

namespace cavs::inline v0_1 {

/// A word, as a column of a row of logits, and its log_softmax.
struct ScoredWord {
  std::int32_t word = -1;  // -1 in a list of best words that is longer than the number of words
  float log_probability = 0;
};

}  // namespace cavs::inline v0_1
