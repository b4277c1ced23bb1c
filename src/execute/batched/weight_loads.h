#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "execute/batched/packed_weights.h"
#include "support/split_range.h"

namespace cavs::inline v0_1 {

/// Bytes of packed weights that products load from main memory: those of all products, and those of tasks' products.
struct LoadedWeights {
  std::int64_t bytes = 0, task_bytes = 0;
};

/// Counts the bytes of weights that one worker's products load. For each block of rows, a product loads each slice that
/// it reads (VPPS, section IV-B).
class WeightLoads {
 public:
  WeightLoads(const PackedWeights& weights, std::size_t count) {
    for (std::size_t w = 0; w < count; ++w) {
      const cpu::PackedWeight& packed = weights[static_cast<std::int32_t>(w)];
      unit_bytes_.push_back(packed.slices_of(1) * packed.slice_size() * std::int64_t{sizeof(float)});
    }
  }

  void pass(std::int32_t weight, Range<int> units, bool by_task) {
    const std::int64_t bytes = unit_bytes_[weight] * (units.end - units.begin);
    loaded_.bytes += bytes;
    if (by_task) loaded_.task_bytes += bytes;
  }
  /// Returns the bytes loaded since the last call of take().
  LoadedWeights take() { return std::exchange(loaded_, {}); }

 private:
  std::vector<std::int64_t> unit_bytes_;  // [weights] bytes of a unit (slices of columns) of the weight
  LoadedWeights loaded_;
};

}  // namespace cavs::inline v0_1
