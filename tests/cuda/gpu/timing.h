#pragma once

#include <nlohmann/json.hpp>

#include "cuda/gpu/check_cases.h"
#include "cuda/gpu/device_launcher.h"

namespace cavs::cuda {

/// Times of a persistent kernel on a GPU: barriers, levels, steps, epochs.
/// All in microseconds, by the GPU's clock.
class Timing {
 public:
  Timing(const DeviceRef& device, const LeanKernel& kernel, const TimedModel& timed);

  /// A meeting of all processors; an entry that waits for all processors and signals.
  nlohmann::json barriers() const;
  /// A level of F with one of ∂F, with as many rows as there are samples: the difference between long and short ones.
  nlohmann::json levels() const;
  /// Steps, and the epoch that they make.
  nlohmann::json steps() const;
  /// Of a kernel with clocks: where the time of a step goes, by stage and operation, mean of the processors: until
  /// operands are found, until what the entry waits for is there, until its work is done, until that is told.
  nlohmann::json profile() const;

 private:
  struct Launches {
    double measured_us = 0;
    int steps = 0;
  };
  std::vector<double> launch(const PackedStep& packed, int launches, std::vector<long long>* clocks = nullptr) const;
  /// Minibatches of a data set, one launch each after one that does not count.
  Launches run(const GraphSet& graphs, int batch_size, int most_steps) const;
  double idle_us(int entries, bool meets) const;
  std::string name_of_entry(const PackedStep& packed, const ScriptEntry& entry) const;

  DeviceRef device_;
  const LeanKernel& made_;
  DeviceKernel kernel_;
  TimedModel timed_;
  std::shared_ptr<Parameters> parameters_;
};

}  // namespace cavs::cuda
