#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "compile/program.h"

namespace cavs::bench {

/// A model of the times of an H100, in microseconds, for fp32 and launches that begin early. These are predictions;
/// none is measured.
namespace h100 {
inline constexpr double kBoundary = 0.8;        // between two kernels of a graph, or of a stream that is not empty
inline constexpr double kProductLatency = 1.3;  // fixed time of a product kernel: record, list, rows and stores
inline constexpr double kLoopLatency = 1.0;
inline constexpr double kHostLaunch = 6;            // host time to launch a kernel or a graph
inline constexpr double kFlops = 40e6;              // flop per microsecond of large products
inline constexpr double kHbm = 2.6e6, kL2 = 5.5e6;  // bytes per microsecond
inline constexpr double kL2Bytes = 25e6;
inline constexpr int kProcessors = 132;
}  // namespace h100

inline double memory_time(double bytes) { return bytes / (bytes < h100::kL2Bytes ? h100::kL2 : h100::kHbm); }

/// Time of a product with the fastest tile shape, without boundary and latency.
inline double product_work(double rows, double depth, double columns) {
  constexpr double kClock = 1755, kTileRate = 128 * .65, kSmallTileRate = 128 * .55, kTileBytes = 24;
  double best = INFINITY;
  for (const double r : {16, 32, 64, 128})
    for (const double c : {32, 64, 128}) {
      const double tiles = std::ceil(rows / r) * std::ceil(columns / c);
      const double rate = r * c < 64 * 64 ? kSmallTileRate : kTileRate;
      const double bytes = (std::min(r, rows) + c) * depth * 4 * (tiles < h100::kProcessors ? .6 : 1);
      const double clocks = std::max(r * c * depth / rate, bytes / kTileBytes);
      const double waves = tiles / h100::kProcessors;
      best = std::min(best, (waves > 2 ? waves : std::ceil(waves)) * clocks / kClock);
    }
  return best;
}

/// Time of a kernel in microseconds, without the boundary before it.
struct KernelTime {
  double latency = 0, work = 0;
  double full = 0;  // time of the work if it kept the whole GPU busy
  double all() const { return latency + work; }
};

/// @param tile  part of a softmax over words: 0 logits, 1 entropies, 2 gradients
inline KernelTime time_of(const Instruction& i, double rows, int tile = 0) {
  if (const auto* const group = i.as<RowGroup>(); group != nullptr && group->members.front().is<Matmul>())
    return time_of(group->members.front(), rows);  // the other members work in its registers
  double columns = 0, floats = 0;
  each_instruction({&i, 1}, [&](const Instruction& member) {
    if (&member == &i) return;
    for (const auto* operands : {&member.in, &member.out})
      for (const Operand& o : *operands) floats += o.stride == 0 ? 0 : o.width;
  });
  for (const Operand& o : i.in) floats += o.stride == 0 ? 0 : o.width;
  for (const Operand& o : i.out) {
    columns += o.width;
    floats += o.stride == 0 ? 0 : o.width;
  }
  const double flops = rows * i.flops_per_row, moved = 1.2 * memory_time(4 * rows * floats);
  const auto large = [](double f) { return KernelTime{h100::kProductLatency, f / h100::kFlops, f / h100::kFlops}; };
  if (i.is<Matmul>()) {
    const double depth = i.flops_per_row / (2 * columns);
    const double full = std::max(flops / h100::kFlops, moved);
    return {h100::kProductLatency, product_work(rows, depth, columns) + moved, full};
  }
  if (i.is<WeightGradient>()) return large(flops);
  if (const auto* const entropy = i.as<LinearCrossEntropy>()) {
    if (tile != 1) return large(flops / (entropy->dx < 0 ? 1 : 3));
    const double logits = memory_time(2 * 4 * rows * entropy->tile.width);
    return {h100::kLoopLatency, logits, logits};
  }
  const double work = std::max(moved, flops / h100::kFlops);
  return {h100::kLoopLatency, work, work};
}

}  // namespace cavs::bench
