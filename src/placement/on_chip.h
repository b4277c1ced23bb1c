#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cavs {

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

}  // namespace cavs
