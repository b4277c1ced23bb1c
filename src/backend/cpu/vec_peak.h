#pragma once

#include "backend/cpu/isa.h"
#include "backend/cpu/vec.h"

namespace cavs::cpu::CAVS_ISA {

/// Number of independent chains of multiply-adds: enough to hide the latency, and few enough to stay in registers.
inline constexpr int kPeakChains = kManyRegisters ? 16 : kFused ? 10 : 13;

/// Runs `steps` multiply-adds in each lane of each chain, and returns the sum of the chains, so that the compiler
/// cannot remove them. Chain c begins with c, because the compiler would merge equal chains.
inline float multiply_adds(std::int64_t steps, float factor, float term) {
  const Vec f = splat(factor), t = splat(term);
  Vec chains[kPeakChains];
  CAVS_UNROLL
  for (int c = 0; c < kPeakChains; ++c) chains[c] = splat(static_cast<float>(c));
  for (std::int64_t i = 0; i < steps; ++i) {
    CAVS_UNROLL
    for (int c = 0; c < kPeakChains; ++c) chains[c] = fma(chains[c], f, t);
  }
  Vec sum = {};
  for (int c = 0; c < kPeakChains; ++c) sum += chains[c];
  return sum_lanes(sum);
}

}  // namespace cavs::cpu::CAVS_ISA
