#pragma once

#include <fmt/format.h>

#include <string>

#include "cavs/trainer.h"

namespace cavs::cli {

/// Adds up the times of the phases of the steps that several ranks share.
class StepTimes {
 public:
  void add(const TrainStep& step) {
    compute_ += step.forward_ms + step.backward_ms;
    wait_ += step.wait_ms;
    exchange_ += step.exchange_ms;
    update_ += step.update_ms;
  }
  /// Returns text for people, about this rank: "4 ranks: 83 % computing, ...".
  std::string describe(int ranks) const {
    const double all = compute_ + wait_ + exchange_ + update_;
    const auto percent = [&](double part) { return all == 0 ? 0 : 100 * part / all; };
    return fmt::format(
        "{} ranks: {:.0f} % computing, {:.0f} % waiting for the slowest, {:.0f} % exchanging, {:.0f} % updating", ranks,
        percent(compute_), percent(wait_), percent(exchange_), percent(update_));
  }

 private:
  double compute_ = 0, wait_ = 0, exchange_ = 0, update_ = 0;  // milliseconds over all steps
};

}  // namespace cavs::cli
