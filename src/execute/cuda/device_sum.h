#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "execute/cuda/device_parameters.h"
#include "update/step_sum.h"

namespace cavs::cuda {

/// Adds the gradients of the minibatches of a step on the GPU, where backward passes leave them, and leaves the sum
/// there. All rows of a table are added; rows without a gradient are zero.
class DeviceSum final : public StepSum {
 public:
  /// Launches to += from, for all gradients.
  using Add = std::function<void(float* to, const float* from)>;

  /// All arguments must outlive this object. @param total  receives the sums
  DeviceSum(DeviceParameters& parameters, Gradients& total, Add add);

  void begin(std::int64_t minibatches) override;
  Gradients& next() override { return total_; }
  /// Cost: one launch per minibatch on average; memory for log2(minibatches) sums.
  void add() override;
  void take_total() override { parameters_.bring_gradients(total_); }
  bool adds_absent_rows() const override { return true; }

 private:
  struct Partial {
    std::shared_ptr<DeviceParameters::Block> block;
    std::vector<std::vector<std::int32_t>> rows;  // [parameters] rows of tables, ascending
  };
  void add(Partial& to, const Partial& from) const;

  DeviceParameters& parameters_;
  Gradients& total_;
  const Add add_;
  std::int64_t minibatches_ = 0, added_ = 0;
  std::vector<Partial> partials_;  // oldest minibatches first
};

}  // namespace cavs::cuda
