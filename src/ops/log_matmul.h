#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/op.h"

// Products of a row and a matrix in which other operations stand for plus: y_j is the log of a sum of exponentials
// (log_matmul), or the largest (max_matmul), of x_i + w_ij over i. What a chain of tags is summed and decoded with.
namespace cavs {

/// [k] and [k, n]: [n].
void infer_log_matmul(Inference& i);

/// The gradients by x and w, of the one value that `op` computes from (x, w, y, dy): [k, n], by x_i + w_ij.
void log_matmul_gradient(GradientRule& g, std::string_view op);

/// log(sum(exp(f(j)))) over j < count.
template <typename F>
double log_sum_exp(std::int64_t count, F f) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (std::int64_t j = 0; j < count; ++j) largest = std::max(largest, f(j));
  if (std::isinf(largest)) return largest;
  for (std::int64_t j = 0; j < count; ++j) sum += std::exp(f(j) - largest);
  return largest + std::log(sum);
}

}  // namespace cavs
