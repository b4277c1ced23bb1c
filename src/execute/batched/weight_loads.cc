#include "execute/batched/weight_loads.h"

#include <utility>

namespace cavs {

WeightLoads::WeightLoads(const PackedWeights& weights, std::int32_t count, const WeightPlacement* placement,
                         int processor)
    : weights_(weights), kept_(static_cast<std::size_t>(count)) {
  for (std::int32_t w = 0; w < count; ++w) {
    kept_[w].assign(static_cast<std::size_t>(weights[w].units()), Kept::kNo);
    const PlacedWeight* const placed = placement == nullptr ? nullptr : placement->find(w);
    if (placed == nullptr) continue;
    for (std::int32_t u = 0; u < placed->units(); ++u)
      if (placed->owner[u] == processor && placed->memory[u] != PlacedWeight::kStreamed) kept_[w][u] = Kept::kNotYet;
  }
}

void WeightLoads::begin() {
  for (std::vector<Kept>& units : kept_)
    for (Kept& unit : units)
      if (unit == Kept::kHere) unit = Kept::kNotYet;
}

void WeightLoads::pass(std::int32_t weight, Range<int> units, bool by_task) {
  const cpu::PackedWeight& packed = weights_[weight];
  const std::int64_t unit_bytes = packed.slices_of(1) * packed.slice_size() * std::int64_t{sizeof(float)};
  for (int u = units.begin; u < units.end; ++u) {
    Kept& kept = kept_[weight][u];
    if (kept == Kept::kHere) continue;
    if (kept == Kept::kNotYet) kept = Kept::kHere;
    loaded_.bytes += unit_bytes;
    if (by_task) loaded_.task_bytes += unit_bytes;
  }
}

LoadedWeights WeightLoads::take() { return std::exchange(loaded_, {}); }

}  // namespace cavs
