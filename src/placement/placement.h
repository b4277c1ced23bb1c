#pragma once

#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "placement/on_chip.h"

namespace cavs {

/// Of a weight that tasks multiply with: which processor owns what, and where it keeps it.
struct PlacedWeight {
  static constexpr std::int32_t kStreamed = -1;

  std::int32_t weight = 0;           // into Program::weights
  std::int32_t unit_columns = 0;     // of a gate that are dealt together; the last unit may have fewer
  std::int32_t gates = 1;            // whose columns a unit has
  std::int64_t unit_bytes = 0;       // of a unit with all its columns
  std::vector<std::int32_t> owner;   // [units] processor
  std::vector<std::int32_t> memory;  // [units] into OnChipTarget::memories; kStreamed: read from main memory each time
  bool operator==(const PlacedWeight&) const = default;

  std::int32_t units() const { return static_cast<std::int32_t>(owner.size()); }
};

/// Where the weights live that tasks multiply with, forward and transposed: what makes a processor persistent. Products
/// before and after the tasks run once for all vertices, so their weights are not placed.
struct WeightPlacement {
  OnChipTarget target;
  std::vector<PlacedWeight> weights;            // in the order in which tasks first use them, F first
  std::vector<std::vector<std::int64_t>> used;  // [processors][memories] bytes
  bool operator==(const WeightPlacement&) const = default;

  /// nullptr: not placed.
  const PlacedWeight* find(std::int32_t weight) const;
};

/// Places the weights of a program, first come first served; what does not fit is streamed. Neighbouring columns, those
/// of all gates of a unit, belong to one processor: what reads the gates of a unit finds them where they were computed.
/// @param number_bytes  of a weight: 4 for fp32, 2 for bf16
/// Cost: linear in the program and the units.
WeightPlacement place_weights(const Program& program, const OnChipTarget& target, int number_bytes = 4);

/// True if every weight has its memory.
bool fits(const WeightPlacement& placement);

}  // namespace cavs
