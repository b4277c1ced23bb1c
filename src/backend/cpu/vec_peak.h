#pragma once

#include "backend/cpu/isa.h"
#include "backend/cpu/vec.h"

namespace cavs::cpu::CAVS_ISA {

/// Number of chains: enough to hide the latency of a multiply-add (unfused: of both operations), but all in registers.
inline constexpr int kPeakChains = kManyRegisters ? 16 : kFused ? 10 : 13;

/// Runs `steps` multiply-adds in each lane of each chain. Chain c begins with c, because a compiler would merge equal
/// chains. The returned sum prevents the compiler from removing the chains.
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
