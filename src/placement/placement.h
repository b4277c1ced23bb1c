#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compile/program.h"

namespace cavs::inline v0_1 {

/// Memory of one processor that keeps weights from one step to the next.
struct OnChipMemory {
  std::string name;
  std::int64_t bytes = 0;  // of it, for weights
  bool operator==(const OnChipMemory&) const = default;
};

/// What placing weights is told of a machine: plain numbers. A processor is a core of a CPU, or a multiprocessor of a
/// GPU with its warps (the virtual persistent processor of VPPS, section III).
struct OnChipTarget {
  std::string name;
  std::int32_t processors = 1;
  std::vector<OnChipMemory> memories;  // of each processor, the fastest first
  std::int32_t warps = 1;              // that share a processor's columns
  std::int32_t lanes = 0;              // of a warp, each with its part of the memories: columns are dealt to the warps
                                       // in turn, numbers of a column to the lanes; 0: counted in bytes
  std::int32_t unit_columns = 16;      // that a processor takes together, of every gate
  bool operator==(const OnChipTarget&) const = default;
};

/// Cores, each with this much level 2 cache. 70 % of it is for weights: a core reads that at nearly full speed while
/// states pass through the rest.
OnChipTarget cpu_target(std::int32_t cores, std::int64_t l2_bytes);

/// A GPU as the persistent kernel uses it: so many registers and words of shared memory of each lane keep weights.
OnChipTarget gpu_target(std::string name, std::int32_t processors, std::int32_t warps, std::int32_t lane_registers,
                        std::int32_t lane_shared_words = 0);

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

}  // namespace cavs::inline v0_1
