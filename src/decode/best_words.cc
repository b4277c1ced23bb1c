#include "decode/best_words.h"

#include <algorithm>
#include <limits>

namespace cavs {
namespace {

constexpr std::size_t kBlock = 32;  // larger ones are looked at number by number too often
constexpr float kNothing = -std::numeric_limits<float>::infinity();

/// Without a branch a number, so that it is vectorised: most blocks have none.
bool has_larger(const float* block, float than) {
  int larger = 0;
  for (std::size_t i = 0; i < kBlock; ++i) larger |= static_cast<int>(block[i] > than);
  return larger != 0;
}

/// Puts a word that is larger than the last one behind those that are not smaller.
void insert(std::span<ScoredWord> best, ScoredWord word) {
  std::size_t at = best.size() - 1;
  for (; at > 0 && best[at - 1].log_probability < word.log_probability; --at) best[at] = best[at - 1];
  best[at] = word;
}

}  // namespace

void find_best_words(std::span<const float> row, std::span<ScoredWord> best) {
  std::ranges::fill(best, ScoredWord{-1, kNothing});
  if (best.empty()) return;
  for (std::size_t begin = 0; begin < row.size(); begin += kBlock) {
    const std::span<const float> block = row.subspan(begin, std::min(kBlock, row.size() - begin));
    if (block.size() == kBlock && !has_larger(block.data(), best.back().log_probability)) continue;
    for (std::size_t i = 0; i < block.size(); ++i)
      if (block[i] > best.back().log_probability) insert(best, {static_cast<std::int32_t>(begin + i), block[i]});
  }
}

}  // namespace cavs
