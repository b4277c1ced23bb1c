#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "cavs/checkpoint.h"
#include "execute/engine.h"

namespace cavs::inline v0_1 {

/// Exponential moving averages of parameters (Polyak and Juditsky, 1992), like torch.optim.swa_utils.AveragedModel with
/// an exponential average.
class MovingAverages {
 public:
  /// @param averages  The averages of the parameters that follow() receives.
  MovingAverages(std::shared_ptr<Parameters> averages, double decay) : averages_(std::move(averages)), decay_(decay) {}

  /// Sets the averages to the parameters, before the first step.
  void begin(const Parameters& parameters) {
    for (int p = 0; p < parameters.size(); ++p) {
      std::ranges::copy(parameters.values(p), averages_->values(p).begin());
      averages_->touch(p);
    }
  }

  /// Updates the averages after a step, on the engine if it can. A parameter that never changes equals its average.
  void follow(const Parameters& parameters, Engine& engine) {
    const auto rate = static_cast<float>(1 - decay_);
    if (engine.average(*averages_, rate)) return;
    for (int p = 0; p < parameters.size(); ++p) {
      const std::span<const float> now = parameters.values(p);
      const std::span<float> average = averages_->values(p);
      for (std::size_t i = 0; i < now.size(); ++i) average[i] += rate * (now[i] - average[i]);
      averages_->touch(p);
    }
  }

  const std::shared_ptr<Parameters>& parameters() const { return averages_; }
  Checkpoint::Averages capture() const {
    Checkpoint copy;
    cavs::capture(*averages_, nullptr, copy);
    return {decay_, std::move(copy.parameters)};
  }

 private:
  std::shared_ptr<Parameters> averages_;
  double decay_;
};

}  // namespace cavs::inline v0_1
