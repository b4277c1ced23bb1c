#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "placement/placement.h"

namespace cavs {

inline constexpr std::int32_t kHiddenStep = 16, kMostHidden = 16'384;

/// Whether every weight has its memory, and every gradient that tasks sum.
bool fits(const WeightPlacement& placement);

/// The largest hidden size, of multiples of kHiddenStep up to kMostHidden, of which all weights fit; 0: none does.
/// @param program_of  compiles the model of a hidden size, nullptr: there is none so large. Larger ones need more
/// memory. Cost: ten compilations.
std::int32_t largest_hidden(const std::function<std::shared_ptr<const Program>(std::int32_t hidden)>& program_of,
                            const OnChipTarget& target, PlacementStrategy strategy = PlacementStrategy::kGatesTogether,
                            int number_bytes = 4);

}  // namespace cavs
