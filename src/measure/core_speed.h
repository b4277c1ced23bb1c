#pragma once

#include <cstdint>
#include <vector>

namespace cavs {

/// What limits persistent processors on cores that work at once.
struct CoreSpeed {
  /// Each core passes over a packed weight of its own of so many bytes with products of one row, again and again.
  struct Pass {
    std::int64_t bytes = 0;
    double gb_s = 0;  // of one core
  };
  int cores = 1;
  double gflops = 0;         // of one core: multiply-adds on registers
  std::vector<Pass> passes;  // ascending by bytes; at least one
  double rendezvous_us = 0;  // until all have met; 0 with one core

  /// Between those that were measured, by the logarithm of the bytes; outside, as the nearest.
  double gb_s(double bytes) const;
};

/// Measures the cores of this machine, in about a second.
CoreSpeed measure_cores(int cores);

}  // namespace cavs
