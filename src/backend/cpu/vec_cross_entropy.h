#pragma once

#include "backend/cpu/vec_rows.h"

namespace cavs::cpu::CAVS_ISA {

/// Computes x += bias. Returns the largest number of the resulting row. A bias of nullptr is zero.
inline float add_bias(float* x, const float* bias, int width) {
  if (bias == nullptr) return max_of_row(x, width);
  Vec largest = splat(-__builtin_inff());
  for (int c = 0; c < width; c += kLanes) {
    const Vec v = load_at(x, c, width, -__builtin_inff()) + load_at(bias, c, width);
    store_at(x, c, width, v);
    largest = max(largest, v);
  }
  return max_lanes(largest);
}

/// Computes x = exp(x - largest) and returns the sum.
inline float replace_by_exp(float* x, float largest, int width) {
  return sum_row(width, [=](int c) {
    const Vec e = exp_of_negative(load_at(x, c, width, -__builtin_inff()) - largest);
    store_at(x, c, width, e);
    return e;
  });
}

inline void cross_entropy(const CrossEntropy& args, std::int32_t begin, std::int32_t end) {
  const int width = args.logits.width;
  for (std::int32_t r = begin; r < end; ++r) {
    float* const x = args.logits.base + r * args.logits.stride;
    float& loss = args.loss.base[r * args.loss.stride];
    const std::int32_t label = args.labels[r];
    if (label < 0) {
      loss = 0;
      if (args.gradient) fill_row(x, width, [](int) { return Vec{}; });
      continue;
    }
    const float largest = add_bias(x, args.bias, width);
    const float chosen = x[label] - largest;
    const float total = args.gradient ? replace_by_exp(x, largest, width) : exp_sum(x, largest, width);
    loss = log1(total) - chosen;
    if (!args.gradient) continue;
    fill_row(x, width, [=](int c) {
      Vec p = load_at(x, c, width) / total;
      if (label >= c && label < c + kLanes) p[label - c] -= 1.0F;
      return p * args.dy;
    });
  }
}

}  // namespace cavs::cpu::CAVS_ISA
