#pragma once

// The most probable words of rows of logits. A block searches a row, and each of its threads every kThreads-th number.

#include "backend/cuda/device/row_operations.cuh"
#include "backend/cuda/entries/device/update.cuh"

namespace cavs::cuda {

CAVS_DEVICE WordScore no_word() { return {-1, -__builtin_inff()}; }

/// True if a is better: its score is larger, or the scores are equal and its word is smaller. False if a score is NaN.
CAVS_DEVICE bool is_better(const WordScore& a, const WordScore& b) {
  return a.score > b.score || (a.score == b.score && a.word < b.word);
}

/// Returns the best word of all threads of the block to each of them.
CAVS_DEVICE WordScore best_of_block(WordScore best) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) {
    const WordScore other{shuffle_xor(best.word, mask), shuffle_xor(best.score, mask)};
    if (is_better(other, best)) best = other;
  }
  auto& of_warps = shared<BlockMemory>().best;
  sync();  // all threads have read the previous contents
  if (lane() == 0) store(&of_warps.words[warp()], best.word), store(&of_warps.scores[warp()], bits_of(best.score));
  sync();
#pragma unroll 1
  for (i32 w = 0; w < kWarps; ++w) {
    const WordScore other{load(&of_warps.words[w]), float_of(load(&of_warps.scores[w]))};
    if (is_better(other, best)) best = other;
  }
  return best;
}

/// log_softmax of a row. If the score of one word is NaN, the scores of all words are NaN.
struct LogSoftmax {
  const float* logits;
  i32 width;
  float largest, log_total;

  CAVS_DEVICE WordScore at(i32 word, float logit) const { return {word, logit - largest - log_total}; }
  /// Returns the best of the thread's words that are worse than `last`.
  CAVS_DEVICE WordScore best_of_thread(WordScore last) const {
    WordScore best = no_word();
    each_number_of_row(logits, width, thread(), kThreads, [&](i32 c, float logit) {
      const WordScore word = at(c, logit);
      if (is_better(last, word) && is_better(word, best)) best = word;
    });
    return best;
  }
  CAVS_DEVICE WordScore forced(i32 word) const {
    const WordScore found = at(word, load(logits + word));
    return is_better(found, no_word()) ? found : no_word();
  }
};

CAVS_DEVICE LogSoftmax log_softmax_of(const float* logits, i32 width) {
  float largest = -__builtin_inff();
  each_number_of_row(logits, width, thread(), kThreads, [&](i32, float x) { largest = x > largest ? x : largest; });
  largest = best_of_block({0, largest}).score;
  double total = 0;
  each_number_of_row(logits, width, thread(), kThreads,
                     [&](i32, float x) { total += static_cast<double>(math::exp_of_negative(x - largest)); });
  sync();  // all threads have read the largest number
  return {logits, width, largest, math::log(static_cast<float>(block_sum(total)))};
}

CAVS_DEVICE void find_best_words(const WordSearch& search) {
#pragma unroll 1
  for (i32 row = processor(); row < search.rows; row += processors()) {
    const LogSoftmax scores = log_softmax_of(load(search.logits + row), search.width);
    const i32 forced = load_fixed(search.forced + row);
    WordScore own = forced < 0      ? scores.best_of_thread({-1, __builtin_inff()})
                    : thread() == 0 ? scores.forced(forced)
                                    : no_word();
#pragma unroll 1
    for (i32 k = 0; k < search.count; ++k) {
      const WordScore best = best_of_block(own);
      if (thread() == 0) store(search.best + row * search.count + k, best);
      if (own.word == best.word) own = forced < 0 ? scores.best_of_thread(best) : no_word();
    }
  }
}

}  // namespace cavs::cuda
