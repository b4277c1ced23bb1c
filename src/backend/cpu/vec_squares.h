#pragma once

#include "backend/cpu/isa.h"
#include "backend/cpu/vec.h"

namespace cavs::cpu::CAVS_ISA {

/// See cpu::add_squares. Squares of floats are exact in double, so only the order of additions makes the bits.
inline void add_squares(const float* x, std::int64_t count, double* sums) {
  typedef double Doubles __attribute__((vector_size(8 * kSquareLanes / 4)));
  typedef float Quarter __attribute__((vector_size(4 * kSquareLanes / 4), aligned(4), may_alias));
  Doubles lanes[4];
  each<4>([&](auto q) { __builtin_memcpy(&lanes[q], sums + q * kSquareLanes / 4, sizeof(Doubles)); });
  std::int64_t i = 0;
  for (; i + kSquareLanes <= count; i += kSquareLanes)
    each<4>([&](auto q) {
      const auto wide =
          __builtin_convertvector(*reinterpret_cast<const Quarter*>(x + i + q * kSquareLanes / 4), Doubles);
      lanes[q] += wide * wide;
    });
  each<4>([&](auto q) { __builtin_memcpy(sums + q * kSquareLanes / 4, &lanes[q], sizeof(Doubles)); });
  for (int lane = 0; i < count; ++i, ++lane) sums[lane] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
}

}  // namespace cavs::cpu::CAVS_ISA
