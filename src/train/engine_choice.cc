#include "train/engine_choice.h"

#include <algorithm>

#include "support/check.h"

namespace cavs {
namespace {

double median(std::vector<double> values) {
  CAVS_ASSERT(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

EngineKind EngineChoice::next() const {
  return chosen_.value_or(steps_ / kTurn % 2 == 0 ? EngineKind::kBatched : EngineKind::kPersistent);
}

bool EngineChoice::add(double milliseconds, std::int64_t vertices) {
  if (is_made()) return false;
  const bool is_persistent = next() == EngineKind::kPersistent, warms_up = steps_ % kTurn == 0;
  ++steps_;
  if (!warms_up) turn_.push_back(milliseconds * 1e6 / static_cast<double>(vertices));
  if (steps_ % kTurn != 0) return false;
  (is_persistent ? persistent_ : batched_).push_back(median(turn_));
  turn_.clear();
  if (is_persistent) decide();
  return is_made();
}

void EngineChoice::decide() {
  const auto rounds = static_cast<std::ptrdiff_t>(persistent_.size());
  if (rounds < kLeastRounds) return;
  std::vector<double> ratios;
  for (std::size_t r = 0; r < persistent_.size(); ++r) ratios.push_back(persistent_[r] / batched_[r]);
  const double ratio = median(ratios);
  const auto wins = std::ranges::count_if(ratios, [](double x) { return x < 1; });
  const bool is_clear = (ratio < 1 - kClear && wins == rounds) || (ratio > 1 + kClear && wins == 0);
  if (!is_clear && rounds < kMostRounds) return;
  chosen_ = ratio < 1 - kGain && 4 * wins >= 3 * rounds ? EngineKind::kPersistent : EngineKind::kBatched;
}

EngineTimes EngineChoice::times() const { return {median(batched_), median(persistent_)}; }

}  // namespace cavs
