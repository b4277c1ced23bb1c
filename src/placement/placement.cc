#include "placement/placement.h"

#include <algorithm>
#include <map>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

std::int32_t divide_up(std::int32_t a, std::int32_t b) { return (a + b - 1) / b; }

/// Counts the bytes of a memory that a processor's columns of one panel (columns that share their units) take. In fp32,
/// a warp has whole columns. In bf16, 8 columns are cut along the depth into steps of 16 numbers, which 8 parts take in
/// turn; a warp has some of the parts, with two words per lane and step.
struct LaneWords {
  const OnChipTarget& target;
  int number_bytes;

  std::int64_t bytes(std::int32_t columns, std::int32_t depth) const {
    const std::int64_t of_warps = std::int64_t{4} * target.lanes * target.warps;
    if (number_bytes == 4) return of_warps * divide_up(columns, target.warps) * divide_up(depth, target.lanes);
    return of_warps * divide_up(columns, 8) * 2 * divide_up(depth, 16 * 8) * divide_up(8, target.warps);
  }
};

class Placing {
 public:
  Placing(const Program& program, const OnChipTarget& target, int number_bytes)
      : program_(program), number_bytes_(number_bytes) {
    placement_.target = target;
    placement_.used.assign(target.processors, std::vector<std::int64_t>(target.memories.size()));
  }

  WeightPlacement run() {
    for (const bool backward : {false, true})
      for (const TypeProgram& type : program_.types)
        each_instruction(type.at(backward, Stage::kTask), [&](const Instruction& i) {
          const auto* const product = i.as<Matmul>();
          for (const Factor& factor : product == nullptr ? std::vector<Factor>() : product->factors)
            if (placement_.find(factor.weight) == nullptr) place(factor.weight);
        });
    return std::move(placement_);
  }

 private:
  const OnChipTarget& target() const { return placement_.target; }

  /// Returns the number of rows or columns of a parameter, as the weight multiplies with it (possibly transposed).
  std::int32_t dim(const Weight& weight, std::int32_t parameter, bool column) const {
    return program_.parameters[parameter].shape.dims[column != weight.transposed ? 1 : 0];
  }

  /// Places a weight. Weights of one product have the same number of units, so a processor owns the same units of each.
  void place(std::int32_t number) {
    const Weight& weight = program_.weights[number];
    PlacedWeight placed;
    placed.weight = number;
    const std::int32_t units = cut(weight, placed);
    placed.unit_bytes =
        std::int64_t{placed.unit_columns} * placed.gates * dim(weight, weight.parameters[0], false) * number_bytes_;
    for (std::int32_t u = 0; u < units; ++u) placed.owner.push_back(owner_of(u, units));
    take_units(weight, placed);
    placement_.weights.push_back(std::move(placed));
  }

  /// Sets the columns and gates of a unit. @return number of units, as in the packed weight if its units are as wide
  std::int32_t cut(const Weight& weight, PlacedWeight& placed) const {
    std::int32_t all = 0, units = 0;
    for (const std::int32_t p : weight.parameters) {
      all += dim(weight, p, true);
      units += divide_up(dim(weight, p, true), target().unit_columns);
    }
    placed.unit_columns = target().unit_columns;
    if (weight.gate == 0) return units;
    placed.gates = all / weight.gate;
    return divide_up(weight.gate, placed.unit_columns);
  }

  /// Returns the processor p whose part split_range(0, units, p, processors) contains the unit.
  std::int32_t owner_of(std::int32_t unit, std::int32_t units) const {
    return static_cast<std::int32_t>((std::int64_t{unit + 1} * target().processors - 1) / units);
  }

  /// Reserves space in the processor's first memory m that has bytes_in(m) bytes free. @return m; kStreamed if none has
  template <typename BytesIn>
  std::int32_t take(std::int32_t processor, BytesIn bytes_in) {
    for (std::size_t m = 0; m < target().memories.size(); ++m) {
      const std::int64_t used = placement_.used[processor][m] + bytes_in(m);
      if (used > target().memories[m].bytes) continue;
      placement_.used[processor][m] = used;
      return static_cast<std::int32_t>(m);
    }
    return PlacedWeight::kStreamed;
  }

  void take_units(const Weight& weight, PlacedWeight& placed) {
    if (target().lanes == 0) {
      for (const std::int32_t processor : placed.owner)
        placed.memory.push_back(take(processor, [&](std::size_t) { return placed.unit_bytes; }));
      return;
    }
    const LaneWords words{target(), number_bytes_};
    using KeptColumns = std::vector<std::int32_t>;                         // [memories] columns that are kept there
    std::map<std::pair<std::int32_t, std::int32_t>, KeptColumns> columns;  // key: processor, panel
    for (std::int32_t u = 0; u < placed.units(); ++u) {
      const std::int32_t panel = panel_of(weight, placed, u), depth = dim(weight, weight.parameters[0], false);
      KeptColumns& kept = columns[{placed.owner[u], panel}];
      kept.resize(target().memories.size());
      const std::int32_t more = placed.unit_columns * placed.gates;
      placed.memory.push_back(take(placed.owner[u], [&](std::size_t m) {
        return words.bytes(kept[m] + more, depth) - words.bytes(kept[m], depth);
      }));
      if (placed.memory.back() != PlacedWeight::kStreamed) kept[placed.memory.back()] += more;
    }
  }

  /// Returns the number of a unit's panel. Gates share their units, and are one panel; else each parameter is a panel.
  std::int32_t panel_of(const Weight& weight, const PlacedWeight& placed, std::int32_t unit) const {
    std::int32_t panel = 0;
    if (weight.gate > 0) return panel;
    for (const std::int32_t p : weight.parameters) {
      unit -= divide_up(dim(weight, p, true), placed.unit_columns);
      if (unit < 0) break;
      ++panel;
    }
    return panel;
  }

  const Program& program_;
  int number_bytes_;
  WeightPlacement placement_;
};

}  // namespace

OnChipTarget cpu_target(std::int32_t cores, std::int64_t l2_bytes) {
  return {.name = "cpu", .processors = cores, .memories = {{"L2", l2_bytes / 10 * 7}}};
}

OnChipTarget gpu_target(std::string name, std::int32_t processors, std::int32_t warps, std::int32_t lane_registers,
                        std::int32_t lane_shared_words) {
  constexpr std::int32_t kLanes = 32;
  const std::int64_t word_of_each = std::int64_t{4} * kLanes * warps;
  return {
      .name = std::move(name),
      .processors = processors,
      .memories = {{"registers", word_of_each * lane_registers}, {"shared memory", word_of_each * lane_shared_words}},
      .warps = warps,
      .lanes = kLanes,
      .unit_columns = 1};
}

const PlacedWeight* WeightPlacement::find(std::int32_t weight) const {
  const auto it = std::ranges::find(weights, weight, &PlacedWeight::weight);
  return it == weights.end() ? nullptr : &*it;
}

WeightPlacement place_weights(const Program& program, const OnChipTarget& target, int number_bytes) {
  CAVS_ASSERT(target.processors > 0 && target.unit_columns > 0);
  return Placing(program, target, number_bytes).run();
}

bool fits(const WeightPlacement& placement) {
  return std::ranges::all_of(placement.weights, [](const PlacedWeight& weight) {
    return std::ranges::count(weight.memory, PlacedWeight::kStreamed) == 0;
  });
}

}  // namespace cavs::inline v0_1
