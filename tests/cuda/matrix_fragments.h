#pragma once

#include <bit>

namespace cavs::cuda {

/// One lane's registers for the two factors of mma.m16n8k16 in bf16, or of mma.m16n8k8 in TF32.
struct MatrixFactors {
  unsigned a[4] = {}, b[2] = {};
};

/// Adds one lane's part of the product of the factors of all 32 lanes. The PTX manual assigns elements to lanes in
/// "Matrix Fragments for mma.m16n8k16". With group g = lane / 4 and t = lane % 4, element i of register q of a is at
/// row g + 8 (q % 2), column 2 t + i + 8 (q / 2). Element i of register q of b is at row 2 t + i + 8 q, column g. Sum q
/// is at row g + 8 (q / 2), column 2 t + q % 2. Sums are in ascending k; the manual does not specify the order.
inline void add_product(const MatrixFactors* factors, int lane, float* sums) {
  const auto number = [](unsigned pair, int i) { return std::bit_cast<float>((pair >> 16 * i & 0xFFFFU) << 16); };
  for (int q = 0; q < 4; ++q) {
    const int row = lane / 4 + 8 * (q / 2), column = 2 * (lane % 4) + q % 2;
    for (int k = 0; k < 16; ++k) {
      const int t = k % 8 / 2;
      sums[q] += number(factors[row % 8 * 4 + t].a[row / 8 + 2 * (k / 8)], k % 2) *
                 number(factors[column * 4 + t].b[k / 8], k % 2);
    }
  }
}

/// The same in TF32, by "Matrix Fragments for mma.m16n8k8": register q of a is at row g + 8 (q % 2), column t + 4 (q /
/// 2), and register q of b is at row t + 4 q, column g. The lower bits of a number are ignored.
inline void add_product_tf32(const MatrixFactors* factors, int lane, float* sums) {
  const auto number = [](unsigned bits) { return std::bit_cast<float>(bits & ~0x1FFFU); };
  for (int q = 0; q < 4; ++q) {
    const int row = lane / 4 + 8 * (q / 2), column = 2 * (lane % 4) + q % 2;
    for (int k = 0; k < 8; ++k)
      sums[q] +=
          number(factors[row % 8 * 4 + k % 4].a[row / 8 + 2 * (k / 4)]) * number(factors[column * 4 + k % 4].b[k / 4]);
  }
}

}  // namespace cavs::cuda
