#pragma once

#include <cstdint>

namespace cavs::inline v0_1 {

/// A column of a row of logits, and what log_softmax gives for it.
struct ScoredWord {
  std::int32_t word = -1;  // -1: there are no more
  float log_probability = 0;
};

}  // namespace cavs::inline v0_1
