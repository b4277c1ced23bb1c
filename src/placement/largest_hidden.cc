#include "placement/largest_hidden.h"

#include <algorithm>

namespace cavs {

bool fits(const WeightPlacement& placement) {
  const auto is_kept = [](const PlacedWeight& weight) {
    return std::ranges::count(weight.memory, PlacedWeight::kStreamed) == 0;
  };
  return std::ranges::all_of(placement.weights, is_kept) &&
         std::ranges::count(placement.gradients, GradientPlace::kStreamed, &PlacedGradient::place) == 0;
}

std::int32_t largest_hidden(const std::function<std::shared_ptr<const Program>(std::int32_t hidden)>& program_of,
                            const OnChipTarget& target, PlacementStrategy strategy, int number_bytes) {
  std::int32_t fitting = 0, too_large = kMostHidden / kHiddenStep + 1;  // in steps
  while (too_large - fitting > 1) {
    const std::int32_t middle = fitting + (too_large - fitting) / 2;
    const auto program = program_of(middle * kHiddenStep);
    const bool has_room = program != nullptr && fits(place_weights(*program, target, strategy, number_bytes));
    (has_room ? fitting : too_large) = middle;
  }
  return fitting * kHiddenStep;
}

}  // namespace cavs
