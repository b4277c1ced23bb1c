#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "cavs/evaluator.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

double mean_of(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

/// The ranks, from 1. Equal values share the mean of their ranks.
std::vector<double> ranks_of(std::span<const double> x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return x[i]; });
  std::vector<double> ranks(x.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && x[order[end]] == x[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = 0.5 * static_cast<double>(begin + 1 + end);
  }
  return ranks;
}

/// True if all numbers are equal. Does not compare with their mean, which may differ from them by rounding.
bool is_constant(std::span<const double> x) {
  return std::ranges::all_of(x, [&](double value) { return value == x.front(); });
}

}  // namespace

double pearson(std::span<const double> x, std::span<const double> y) {
  user_check(x.size() == y.size(), "correlation of {} numbers with {} numbers; expected as many of each", x.size(),
             y.size());
  if (x.empty() || is_constant(x) || is_constant(y)) return 0;
  const double mean_x = mean_of(x), mean_y = mean_of(y);
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - mean_x, dy = y[i] - mean_y;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  return xx == 0 || yy == 0 ? 0 : std::clamp(xy / (std::sqrt(xx) * std::sqrt(yy)), -1.0, 1.0);
}

double spearman(std::span<const double> x, std::span<const double> y) {
  const auto is_nan = [](double value) { return std::isnan(value); };  // NaN has no rank
  if (std::ranges::any_of(x, is_nan) || std::ranges::any_of(y, is_nan)) return std::numeric_limits<double>::quiet_NaN();
  return pearson(ranks_of(x), ranks_of(y));
}

}  // namespace cavs::inline v0_1
