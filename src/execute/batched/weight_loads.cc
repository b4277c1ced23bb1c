#include "execute/batched/weight_loads.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cavs {
namespace {

/// Of a weight that is read transposed, as it is declared: what the processor does not keep of its columns.
double streamed_bytes(const PackedWeights& weights, const WeightPlacement& placement, std::int32_t view,
                      int processor) {
  double bytes = 0;
  for (const PlacedWeight& placed : placement.weights) {
    const Weight& weight = weights.weight(placed.weight);
    if (weight.transposed) continue;
    double streamed = 0;
    for (std::int32_t u = 0; u < placed.units(); ++u)
      if (placed.owner[u] == processor && placed.memory[u] == PlacedWeight::kStreamed)
        streamed += static_cast<double>(placed.unit_bytes);
    for (const std::int32_t p : weights.weight(view).parameters)
      bytes += streamed * static_cast<double>(std::ranges::count(weight.parameters, p)) /
               static_cast<double>(weight.parameters.size());
  }
  return bytes;
}

}  // namespace

WeightLoads::WeightLoads(const PackedWeights& weights, std::int32_t count, const WeightPlacement* placement,
                         int processor)
    : units_(static_cast<std::size_t>(count)) {
  for (std::int32_t w = 0; w < count; ++w) {
    const cpu::PackedWeight& packed = weights[w];
    const std::int64_t bytes = packed.slices_of(1) * packed.slice_size() * std::int64_t{sizeof(float)};
    units_[w].assign(static_cast<std::size_t>(packed.units()), {bytes, Kept::kNo});
    const PlacedWeight* const placed = placement == nullptr ? nullptr : placement->find(w);
    if (placed == nullptr) continue;
    if (placed->owner.empty()) {  // its processor's own columns of weights as they are declared
      const double streamed = streamed_bytes(weights, *placement, w, processor);
      for (Unit& unit : units_[w]) unit.bytes = std::llround(streamed / static_cast<double>(units_[w].size()));
    }
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
