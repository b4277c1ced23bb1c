#pragma once

#include "backend/cpu/vec_rows.h"

namespace cavs::cpu::CAVS_ISA {

/// The maxima of the classes of a row's numbers. Column c belongs to class c % kMax. NaN is skipped.
struct ClassMaxima {
  static constexpr int kMax = 4 * kLanes;
  Vec of[4];  // maximum of class i * kLanes + lane in of[i]

  ClassMaxima(const float* x, int width) {
    for (Vec& v : of) v = splat(-__builtin_inff());
    int c = 0;
    for (; c + kMax <= width; c += kMax) {
      CAVS_UNROLL
      for (int i = 0; i < 4; ++i) of[i] = larger(load(x + c + i * kLanes), of[i]);
    }
    for (int i = 0; c < width; ++i, c += kLanes) of[i] = larger(load_at(x, c, width, -__builtin_inff()), of[i]);
  }

  static Vec larger(Vec a, Vec b) { return select(a > b, a, b); }
  Vec of_lanes() const { return larger(larger(of[0], of[1]), larger(of[2], of[3])); }
  float largest() const { return max_lanes(of_lanes()); }

  /// Returns a bound that at least `count` numbers of the row reach: the `count`-th largest of the maxima, because
  /// every class has a number that equals its maximum. If `count` is small, kLanes coarser classes suffice.
  float bar(int count) const {
    if (count > kMax) return -__builtin_inff();
    float maxima[kMax], best[kMax];
    const int classes = count <= kLanes ? kLanes : kMax;
    store(maxima, of_lanes());
    for (int i = 0; classes == kMax && i < 4; ++i) store(maxima + i * kLanes, of[i]);
    for (int i = 0; i < count; ++i) best[i] = -__builtin_inff();
    for (int i = 0; i < classes; ++i) {
      int at = count - 1;
      if (!(maxima[i] > best[at])) continue;
      for (; at > 0 && best[at - 1] < maxima[i]; --at) best[at] = best[at - 1];
      best[at] = maxima[i];
    }
    return best[count - 1];
  }
};

/// log_softmax of a row as a function of single logits: operator() returns the log probability of logit x.
struct LogSoftmax {
  float largest, log_total;
  template <typename T>
  T operator()(T x) const {
    return (x - largest) - log_total;
  }
};

/// Returns the LogSoftmax of a row with maximum `largest`. Prefetches the memory after it, probably the next row.
inline LogSoftmax log_softmax_of(const float* x, int width, float largest) {
  return {largest, log1(sum_row(width, [=](int c) {
            __builtin_prefetch(x + width + c);
            return exp_of_negative(load_at(x, c, width, -__builtin_inff()) - largest);
          }))};
}

/// Inserts a word, which must be better than the last of the `count` best, after words with the same score.
inline void insert_word(ScoredWord* best, int count, ScoredWord word) {
  int at = count - 1;
  for (; at > 0 && best[at - 1].log_probability < word.log_probability; --at) best[at] = best[at - 1];
  best[at] = word;
}

inline void best_words(const float* x, int width, ScoredWord* best, int count) {
  const ClassMaxima maxima(x, width);
  const LogSoftmax score = log_softmax_of(x, width, maxima.largest());
  for (int i = 0; i < count; ++i) best[i] = {-1, -__builtin_inff()};
  if (count == 0 || score.log_total != score.log_total) return;  // the row has no valid probabilities
  // Scores are compared, not logits: if different logits have the same score, the first word must win.
  const float threshold = score(maxima.bar(count));
  const auto insert = [&](int c) {
    if (const float s = score(x[c]); s >= threshold && s > best[count - 1].log_probability)
      insert_word(best, count, {c, s});
  };
  constexpr int kBlock = 4 * kLanes;
  int c = 0;
  for (; c + kBlock <= width; c += kBlock) {
    Ints found{};
    CAVS_UNROLL
    for (int i = 0; i < 4; ++i) found |= score(load(x + c + i * kLanes)) >= threshold;
    if (lanes_of(found) == 0) continue;
    for (int i = c; i < c + kBlock; i += kLanes)
      for (unsigned lanes = lanes_of(score(load(x + i)) >= threshold); lanes != 0; lanes &= lanes - 1)
        insert(i + __builtin_ctz(lanes));
  }
  for (; c < width; ++c) insert(c);
}

inline float log_softmax_at(const float* x, int width, int column) {
  return log_softmax_of(x, width, ClassMaxima(x, width).largest())(x[column]);
}

}  // namespace cavs::cpu::CAVS_ISA
