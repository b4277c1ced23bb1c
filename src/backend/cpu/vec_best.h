#pragma once

#include "backend/cpu/vec_rows.h"

namespace cavs::cpu::CAVS_ISA {

/// The numbers of a row fall into classes by their place in four vectors side by side.
inline constexpr int kClasses = 4 * kLanes;

/// The largest number of each class; NaN where one is.
inline void max_of_classes(const float* x, int width, float* largest) {
  Vec of[4];
  for (Vec& v : of) v = splat(-__builtin_inff());
  int c = 0;
  for (; c + kClasses <= width; c += kClasses) {
    CAVS_UNROLL
    for (int i = 0; i < 4; ++i) of[i] = max(of[i], load(x + c + i * kLanes));
  }
  for (int i = 0; c < width; ++i, c += kLanes) of[i] = max(of[i], load_at(x, c, width, -__builtin_inff()));
  for (int i = 0; i < 4; ++i) store(largest + i * kLanes, of[i]);
}

inline float largest_of(const float* x) {
  return max_lanes(max(max(load(x), load(x + kLanes)), max(load(x + 2 * kLanes), load(x + 3 * kLanes))));
}

/// What log_softmax gives for a number of a row.
struct LogSoftmax {
  float largest, log_total;
  template <typename T>
  T operator()(T x) const {
    return (x - largest) - log_total;
  }
};

/// Meanwhile fetches what lies behind the row, most likely the next one.
inline LogSoftmax log_softmax_of(const float* x, int width, float largest) {
  return {largest, log1(sum_row(width, [=](int c) {
            __builtin_prefetch(x + width + c);
            return exp(load_at(x, c, width, -__builtin_inff()) - largest);
          }))};
}

/// Puts a word that is better than the last one behind those that are as good.
inline void insert_word(ScoredWord* best, int count, ScoredWord word) {
  int at = count - 1;
  for (; at > 0 && best[at - 1].log_probability < word.log_probability; --at) best[at] = best[at - 1];
  best[at] = word;
}

/// Each class has a number that is as large as its largest, so no word below the last of `count` classes matters.
inline float least_of_best(const float* largest, int count) {
  float best[kClasses];
  for (int i = 0; i < count; ++i) best[i] = -__builtin_inff();
  for (int i = 0; i < kClasses; ++i) {
    int at = count - 1;
    if (!(largest[i] > best[at])) continue;
    for (; at > 0 && best[at - 1] < largest[i]; --at) best[at] = best[at - 1];
    best[at] = largest[i];
  }
  return best[count - 1];
}

inline void best_words(const float* x, int width, ScoredWord* best, int count) {
  float of_classes[kClasses];
  max_of_classes(x, width, of_classes);
  const LogSoftmax score = log_softmax_of(x, width, largest_of(of_classes));
  for (int i = 0; i < count; ++i) best[i] = {-1, -__builtin_inff()};
  if (count == 0 || score.log_total != score.log_total) return;  // nothing is a probability
  // Scores are compared, not logits: of those that round to one score the first word is the best.
  const float least = count <= kClasses ? score(least_of_best(of_classes, count)) : -__builtin_inff();
  const auto insert_from = [&](int begin, int end) {
    for (int c = begin; c < end; ++c)
      if (const float s = score(x[c]); s >= least && s > best[count - 1].log_probability)
        insert_word(best, count, {c, s});
  };
  int c = 0;
  for (; c + kClasses <= width; c += kClasses) {
    Ints found{};
    CAVS_UNROLL
    for (int i = 0; i < 4; ++i) found |= score(load(x + c + i * kLanes)) >= least;
    if (!any(found)) continue;
    for (int i = c; i < c + kClasses; i += kLanes)
      if (any(score(load(x + i)) >= least)) insert_from(i, i + kLanes);
  }
  insert_from(c, width);
}

inline float log_softmax_at(const float* x, int width, int column) {
  float of_classes[kClasses];
  max_of_classes(x, width, of_classes);
  return log_softmax_of(x, width, largest_of(of_classes))(x[column]);
}

}  // namespace cavs::cpu::CAVS_ISA
