#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compile/program.h"
#include "placement/on_chip.h"

namespace cavs {

/// How the columns of weights are dealt to processors.
/// kGatesTogether  neighbouring columns, those of all gates of a unit: what reads the gates of a unit finds them where
///                 they were computed
/// kRoundRobin     pieces in turn, on from weight to weight (VPPS, section III-A1 and Figure 4)
enum class PlacementStrategy : std::uint8_t { kGatesTogether, kRoundRobin };

/// "gates-together", "round-robin", in the order of the values.
std::span<const std::string_view> placement_strategy_names();

/// Of a weight that tasks multiply with: which processor owns what, and where it keeps it.
struct PlacedWeight {
  static constexpr std::int32_t kStreamed = -1;

  std::int32_t weight = 0;           // into Program::weights
  std::int32_t unit_columns = 0;     // of a gate that are dealt together; the last unit may have fewer
  std::int32_t gates = 1;            // whose columns a unit has
  std::int64_t unit_bytes = 0;       // of a unit with all its columns
  std::vector<std::int32_t> owner;   // [units] processor. Empty: TransposedReads::kForwardColumns
  std::vector<std::int32_t> memory;  // [units] into OnChipTarget::memories; kStreamed: read from main memory each time
  bool operator==(const PlacedWeight&) const = default;

  std::int32_t units() const { return static_cast<std::int32_t>(owner.size()); }
};

/// Where the gradient of a parameter is summed (VPPS, section III-C2).
/// kStaged    not by tasks: their operands are kept, and one product sums all of them after the tasks
/// kResident  by tasks, on the processors that own the weight
/// kStreamed  by tasks, in main memory: there was no room
enum class GradientPlace : std::uint8_t { kStaged, kResident, kStreamed };

struct PlacedGradient {
  std::int32_t parameter = 0;
  GradientPlace place = GradientPlace::kStaged;
  bool operator==(const PlacedGradient&) const = default;
};

/// Where the weights live that tasks multiply with, forward and transposed: what makes a processor persistent. Products
/// before and after the tasks run once for all vertices, so their weights are not placed.
struct WeightPlacement {
  OnChipTarget target;
  PlacementStrategy strategy = PlacementStrategy::kGatesTogether;
  std::vector<PlacedWeight> weights;            // in the order in which tasks first use them, F first
  std::vector<PlacedGradient> gradients;        // of their parameters, by number
  std::vector<std::vector<std::int64_t>> used;  // [processors][memories] bytes
  bool operator==(const WeightPlacement&) const = default;

  /// nullptr: not placed.
  const PlacedWeight* find(std::int32_t weight) const;
};

/// Places the weights of a program, first come first served; what does not fit is streamed.
/// @param number_bytes  of a weight: 4 for fp32, 2 for bf16
/// Cost: linear in the program and the units.
WeightPlacement place_weights(const Program& program, const OnChipTarget& target,
                              PlacementStrategy strategy = PlacementStrategy::kGatesTogether, int number_bytes = 4);

}  // namespace cavs
