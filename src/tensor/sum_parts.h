#pragma once

namespace cavs {

/// In how many parts a product that reads a weight transposed sums the weight's columns, which lie in so many units,
/// each part by itself: a power of two, whatever processors there are, so that it changes no bit who sums which part.
/// At least four units a part where there are more than two parts, as each part costs a sum over lanes.
constexpr int sum_parts(int units) {
  constexpr int kMost = 8, kUnits = 4;
  int parts = units < 2 ? 1 : 2;
  while (parts < kMost && 2 * parts * kUnits <= units) parts *= 2;
  return parts;
}
inline constexpr int kMostSumParts = sum_parts(1 << 20);

}  // namespace cavs
