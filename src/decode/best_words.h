#pragma once

#include <cstdint>
#include <span>

namespace cavs {

struct ScoredWord {
  std::int32_t word = -1;  // -1: there are no more
  float log_probability = 0;
};

/// The words of the largest numbers of a row, largest first, of equal ones the first; numbers that are not (NaN) and
/// minus infinity are passed over. Cost: linear in the row, and in best.size() for each number that is among the best
/// so far.
void find_best_words(std::span<const float> row, std::span<ScoredWord> best);

}  // namespace cavs
