#pragma once

#include <memory>

#include "cavs/checkpoint.h"
#include "cavs/parameters.h"

namespace cavs {

/// Exponential moving averages of parameters (Polyak and Juditsky, 1992; as torch.optim.swa_utils.AveragedModel with
/// an exponential average).
class MovingAverages {
 public:
  /// @param averages  of the parameters that follow() is given
  MovingAverages(std::shared_ptr<Parameters> averages, double decay) : averages_(std::move(averages)), decay_(decay) {}

  /// Takes a step into account; before the `first` there is nothing to average. A number that does not change keeps its
  /// bits.
  void follow(const Parameters& parameters, bool first);

  const std::shared_ptr<Parameters>& parameters() const { return averages_; }
  Checkpoint::Averages capture() const;

 private:
  std::shared_ptr<Parameters> averages_;
  double decay_;
};

}  // namespace cavs
