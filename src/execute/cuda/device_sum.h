#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "execute/cuda/device_parameters.h"
#include "update/step_sum.h"

namespace cavs::cuda {

/// Sums the gradients of a step's minibatches on the GPU, where backward passes leave them, and leaves the total there.
/// All rows of tables are added, since rows without a gradient are zero.
class DeviceSum final : public StepSum {
 public:
  /// Launches a kernel that computes to += from for all gradients.
  using Add = std::function<void(float* to, const float* from)>;

  /// All arguments must outlive this object. @param total  receives the total
  DeviceSum(DeviceParameters& parameters, Gradients& total, Add add);

  void begin(std::int64_t minibatches) override;
  Gradients& next() override { return total_; }
  /// Adds a minibatch's gradients. Cost: one launch per minibatch on average; memory for log2(minibatches) sums.
  void add() override;
  void take_total() override { parameters_.bring_gradients(total_); }
  bool adds_absent_rows() const override { return true; }

 private:
  struct Partial {
    std::shared_ptr<DeviceParameters::Block> block;
    std::vector<std::vector<std::int32_t>> rows;  // [parameters] rows of the table that have a gradient, ascending
  };
  void add(Partial& to, const Partial& from) const;

  DeviceParameters& parameters_;
  Gradients& total_;
  const Add add_;
  std::int64_t minibatches_ = 0, added_ = 0;  // minibatches of the step, and how many have been added
  std::vector<Partial> partials_;             // sums of 2^b minibatches each, oldest minibatches first
};

}  // namespace cavs::cuda
