#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace cavs::inline v0_1 {

/// Returns log(sum(exp(f(j)))) over j < count.
template <typename F>
double log_sum_exp(std::int64_t count, F f) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (std::int64_t j = 0; j < count; ++j) largest = std::max(largest, f(j));
  if (std::isinf(largest)) return largest;
  for (std::int64_t j = 0; j < count; ++j) sum += std::exp(f(j) - largest);
  return largest + std::log(sum);
}

}  // namespace cavs::inline v0_1
