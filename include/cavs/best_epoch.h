#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace cavs {

// Which epoch is the best, and what follows from it. All of it is computed from a history, one number an epoch, such as
// Checkpoint::metrics keeps: training that is resumed decides as training that never stopped. A NaN is an epoch of
// which nothing is known: it is neither better nor worse.

struct BestEpoch {
  std::int64_t epoch = 0;  // from 1
  double value = 0;
  std::int64_t since = 0;  // epochs after it of which something is known
  bool operator==(const BestEpoch&) const = default;
};

/// The first of several that are equal; none where nothing is known. Cost: linear.
std::optional<BestEpoch> best_epoch(std::span<const double> history, bool least_is_best);

/// Whether the last epoch completes a plateau: `patience` epochs (at least 1) without a better one, counted anew after
/// each plateau. Reduce the learning rate then (Optimizer::set_rate_factor). Cost: linear.
bool ends_plateau(std::span<const double> history, bool least_is_best, std::int64_t patience);

}  // namespace cavs
