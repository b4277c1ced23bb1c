#pragma once

#include <cstdint>
#include <vector>

#include "execute/batched/packed_weights.h"
#include "placement/placement.h"
#include "support/split_range.h"

namespace cavs {

/// Bytes of packed weights that products load from main memory.
struct LoadedWeights {
  std::int64_t bytes = 0, task_bytes = 0;  // by all products; by those of tasks
};

/// Counts what one worker's products load. Every pass over slices of a weight, by a product on one block of rows, loads
/// them (VPPS, section IV-B). Only what a placement keeps on the worker's processor is loaded once a minibatch: the
/// update before it has changed it.
class WeightLoads {
 public:
  /// @param placement  what processors keep, or nullptr
  WeightLoads(const PackedWeights& weights, std::int32_t count, const WeightPlacement* placement, int processor);

  /// A minibatch begins.
  void begin();
  void pass(std::int32_t weight, Range<int> units, bool by_task);
  /// What was loaded since the last call.
  LoadedWeights take();

 private:
  enum class Kept : std::uint8_t { kNo, kNotYet, kHere };

  struct Unit {
    std::int64_t bytes = 0;
    Kept kept = Kept::kNo;
  };
  std::vector<std::vector<Unit>> units_;  // [weights][units]
  LoadedWeights loaded_;
};

}  // namespace cavs
