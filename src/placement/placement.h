#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compile/program.h"

namespace cavs::inline v0_1 {

/// A memory of a processor that keeps weights from one step to the next.
struct OnChipMemory {
  std::string name;
  std::int64_t bytes = 0;  // bytes that weights may use
  bool operator==(const OnChipMemory&) const = default;
};

/// Facts about a machine that placing weights needs: numbers only. A processor is a core of a CPU, or a multiprocessor
/// of a GPU with its warps (the virtual persistent processor of VPPS, section III).
struct OnChipTarget {
  std::string name;
  std::int32_t processors = 1;
  std::vector<OnChipMemory> memories;  // of each processor, fastest first
  std::int32_t warps = 1;              // number of warps that share a processor's columns
  std::int32_t lanes = 0;  // lanes per warp; each has an equal part of a memory. Columns go to the warps in turn, and
                           // the numbers of a column to the lanes in turn. 0 if memory is not divided (a CPU)
  std::int32_t unit_columns = 16;  // columns of each gate in a unit; a processor owns whole units of a weight
  bool operator==(const OnChipTarget&) const = default;
};

/// Returns a CPU with this many cores, each with this much level 2 cache. Weights get 70 % of the cache: a core reads
/// them at nearly full speed while states pass through the rest.
OnChipTarget cpu_target(std::int32_t cores, std::int64_t l2_bytes);

/// Returns a GPU as the persistent kernel uses it.
/// @param lane_registers, lane_shared_words  registers, and words of shared memory, of each lane that hold weights
OnChipTarget gpu_target(std::string name, std::int32_t processors, std::int32_t warps, std::int32_t lane_registers,
                        std::int32_t lane_shared_words = 0);

/// A weight that tasks multiply with: the owner and the memory of each unit of its columns.
struct PlacedWeight {
  static constexpr std::int32_t kStreamed = -1;  // read from main memory each time

  std::int32_t weight = 0;           // number in Program::weights
  std::int32_t unit_columns = 0;     // columns of a gate per unit; the last unit may have fewer
  std::int32_t gates = 1;            // number of gates whose columns a unit has
  std::int64_t unit_bytes = 0;       // bytes of a complete unit, with the columns of all gates
  std::vector<std::int32_t> owner;   // [units] processor that owns the unit
  std::vector<std::int32_t> memory;  // [units] index in OnChipTarget::memories, or kStreamed
  bool operator==(const PlacedWeight&) const = default;

  std::int32_t units() const { return static_cast<std::int32_t>(owner.size()); }
};

/// Placement of the weights that tasks multiply with, forward and transposed. A processor is persistent if it keeps its
/// weights. Products before and after the tasks run once for all vertices, so their weights are not placed.
struct WeightPlacement {
  OnChipTarget target;
  std::vector<PlacedWeight> weights;            // in the order of first use by tasks of F, then of ∂F
  std::vector<std::vector<std::int64_t>> used;  // [processors][memories] bytes that weights use
  bool operator==(const WeightPlacement&) const = default;

  /// Returns the weight's placement, or nullptr if the weight is not placed.
  const PlacedWeight* find(std::int32_t weight) const;
};

/// Places the weights of a program in the order of first use; weights that do not fit are streamed. Neighbouring
/// columns, for all gates of a unit, belong to one processor, so readers of a unit's gates find them in one place.
/// @param number_bytes  bytes per number of a weight: 4 for fp32, 2 for bf16
/// Cost: linear in the program and the units.
WeightPlacement place_weights(const Program& program, const OnChipTarget& target, int number_bytes = 4);

/// True if no weight is streamed.
bool fits(const WeightPlacement& placement);

}  // namespace cavs::inline v0_1
