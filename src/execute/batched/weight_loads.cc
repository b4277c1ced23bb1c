#include "execute/batched/weight_loads.h"

#include <utility>

namespace cavs {

WeightLoads::WeightLoads(const PackedWeights& weights, std::int32_t count, const WeightPlacement* placement,
                         int processor)
    : units_(static_cast<std::size_t>(count)) {
  for (std::int32_t w = 0; w < count; ++w) {
    const cpu::PackedWeight& packed = weights[w];
    const std::int64_t bytes = packed.slices_of(1) * packed.slice_size() * std::int64_t{sizeof(float)};
    units_[w].assign(static_cast<std::size_t>(packed.units()), {bytes, Kept::kNo});
    const PlacedWeight* const placed = placement == nullptr ? nullptr : placement->find(w);
    if (placed == nullptr) continue;
    for (std::int32_t u = 0; u < placed->units(); ++u) {
      if (placed->owner[u] != processor) continue;
      if (packed.is_view()) units_[w][u].bytes = placed->unit_bytes;
      if (placed->memory[u] != PlacedWeight::kStreamed) units_[w][u].kept = Kept::kNotYet;
    }
  }
}

void WeightLoads::begin() {
  for (std::vector<Unit>& units : units_)
    for (Unit& unit : units)
      if (unit.kept == Kept::kHere) unit.kept = Kept::kNotYet;
}

void WeightLoads::pass(std::int32_t weight, Range<int> units, bool by_task) {
  for (int u = units.begin; u < units.end; ++u) {
    Unit& unit = units_[weight][u];
    if (unit.kept == Kept::kHere) continue;
    if (unit.kept == Kept::kNotYet) unit.kept = Kept::kHere;
    loaded_.bytes += unit.bytes;
    if (by_task) loaded_.task_bytes += unit.bytes;
  }
}

LoadedWeights WeightLoads::take() { return std::exchange(loaded_, {}); }

}  // namespace cavs
