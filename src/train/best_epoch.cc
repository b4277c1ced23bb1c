#include <cmath>

#include "cavs/evaluator.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

/// Finds the best epoch of a history whose values are added epoch by epoch.
struct Walk {
  bool lower_is_better;
  BestEpoch best{};        // best.epoch is 0 if no epoch has had a value
  std::int64_t epoch = 0;  // number of epochs added

  /// Adds an epoch. Returns true if the epoch has a value that is not better than the best value so far.
  bool is_worse(double value) {
    ++epoch;
    if (std::isnan(value)) return false;
    const bool better = best.epoch == 0 || (lower_is_better ? value < best.value : value > best.value);
    if (better)
      best = BestEpoch{epoch, value, 0};
    else
      ++best.since;
    return !better;
  }
};

}  // namespace

std::optional<BestEpoch> best_epoch(std::span<const double> history, bool lower_is_better) {
  Walk walk{lower_is_better};
  for (const double value : history) walk.is_worse(value);
  return walk.best.epoch == 0 ? std::nullopt : std::optional(walk.best);
}

bool ends_plateau(std::span<const double> history, bool lower_is_better, std::int64_t patience) {
  user_check(patience >= 1, "patience is {} epochs; expected at least 1", patience);
  Walk walk{lower_is_better};
  std::int64_t worse = 0;
  bool ended = false;
  for (const double value : history) {
    if (walk.is_worse(value))
      ++worse;
    else if (!std::isnan(value))
      worse = 0;
    ended = !std::isnan(value) && worse == patience;
    if (ended) worse = 0;
  }
  return ended;
}

}  // namespace cavs::inline v0_1
