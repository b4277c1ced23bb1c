#pragma once

#include "backend/cpu/vec.h"

namespace cavs::cpu::CAVS_ISA {

/// Computes a tile of 16 x 16 results, c, as Bf16Isa defines it. a is a row-major left operand, b one slice of a right
/// operand. Products of two numbers in bf16 are exact in fp32, so all instruction sets give bit-identical results.
inline void bf16_tile(const std::uint16_t* a, std::int64_t a_stride, const std::uint16_t* b, int steps, float* c) {
  constexpr int kSide = 16, kPairs = 16, kVectors = kSide / kLanes;
  for (int i = 0; i < kSide * kSide; ++i) c[i] = 0;
  Vec right[2][kPairs][kVectors];  // the slice's numbers of one step in fp32: [0] for even k, [1] for odd k
  for (int s = 0; s < steps; ++s, a += 2 * kPairs, b += 2 * kPairs * kSide) {
    for (int p = 0; p < kPairs; ++p)
      for (int v = 0; v < kVectors; ++v) {
        const Bits pairs = bits(load(reinterpret_cast<const float*>(b + 2 * (p * kSide + v * kLanes))));
        right[0][p][v] = from_bits(pairs << 16);
        right[1][p][v] = from_bits(pairs & 0xFFFF0000U);
      }
    for (int m = 0; m < kSide; ++m) {
      Vec sums[2][kVectors] = {};
      for (int p = 0; p < kPairs; ++p)
        for (int odd = 0; odd < 2; ++odd) {
          const std::uint32_t number = std::uint32_t{a[m * a_stride + 2 * p + odd]} << 16;
          float x;
          __builtin_memcpy(&x, &number, sizeof(x));
          CAVS_UNROLL
          for (int v = 0; v < kVectors; ++v) sums[odd][v] = fma(splat(x), right[odd][p][v], sums[odd][v]);
        }
      for (int v = 0; v < kVectors; ++v) {
        float* const to = c + m * kSide + v * kLanes;
        store(to, load(to) + (sums[0][v] + sums[1][v]));
      }
    }
  }
}

}  // namespace cavs::cpu::CAVS_ISA
