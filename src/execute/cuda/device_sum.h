#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "execute/cuda/device_parameters.h"
#include "update/step_sum.h"

namespace cavs::cuda {

/// Adds the gradients of the minibatches of a step in a GPU's memory, where backward passes leave them, and leaves the
/// sum there. Every row of a table is added: one without a gradient is zero.
class DeviceSum final : public StepSum {
 public:
  /// Launches to += from, of all gradients.
  using Add = std::function<void(float* to, const float* from)>;

  /// All outlive it. @param total  gets the sums
  DeviceSum(DeviceParameters& parameters, Gradients& total, Add add);

  void begin(std::int64_t minibatches) override;
  Gradients& next() override { return total_; }
  /// Cost: a launch per minibatch, on average; memory for log2 of the minibatches.
  void add() override;
  void take_total() override { parameters_.bring_gradients(total_); }
  bool adds_absent_rows() const override { return true; }

 private:
  struct Partial {
    std::shared_ptr<DeviceParameters::Block> block;
    std::vector<std::vector<std::int32_t>> rows;  // [parameters] of tables, ascending
  };
  void add(Partial& to, const Partial& from) const;

  DeviceParameters& parameters_;
  Gradients& total_;
  const Add add_;
  std::int64_t minibatches_ = 0, added_ = 0;
  std::vector<Partial> partials_;  // the oldest minibatches first
};

}  // namespace cavs::cuda
