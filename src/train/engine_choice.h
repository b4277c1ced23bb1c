#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cavs/trainer.h"

namespace cavs {

/// Which of the engines batched and persistent is faster, from the times of steps that take them in turn. A turn is
/// kTurn steps, of which the first warms up and is not counted: it packs weights again and may take memory. A turn
/// comes to the median of its times a vertex, since minibatches differ. A round is a turn of each; their ratio is of
/// the same moment, whatever else the machine does, and what decides is the median of the ratios.
///
/// After kLeastRounds it is decided if one engine was faster in every round and clearly so, else after kMostRounds:
/// persistent where it is faster by kGain and was so in three rounds of four, batched otherwise.
class EngineChoice {
 public:
  static constexpr int kTurn = 4, kLeastRounds = 4, kMostRounds = 8;
  static constexpr double kClear = 0.15, kGain = 0.03;

  /// Of the next step: the one that was chosen, or whose turn it is. Batched begins.
  EngineKind next() const;
  /// What the step has taken. @return whether that decided it
  bool add(double milliseconds, std::int64_t vertices);
  bool is_made() const { return chosen_.has_value(); }
  /// Medians of the turns, when it is made.
  EngineTimes times() const;

 private:
  void decide();

  std::optional<EngineKind> chosen_;
  std::int64_t steps_ = 0;
  std::vector<double> turn_;                  // nanoseconds a vertex, of its counted steps
  std::vector<double> batched_, persistent_;  // of their turns
};

}  // namespace cavs
