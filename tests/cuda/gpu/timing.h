#pragma once

#include <nlohmann/json.hpp>

#include "cuda/gpu/check_cases.h"
#include "cuda/gpu/device_launcher.h"

namespace cavs::cuda {

/// Times of a persistent kernel on a GPU, in microseconds by the GPU's clock: barriers, levels, steps and epochs.
class Timing {
 public:
  Timing(const DeviceRef& device, const LeanKernel& kernel, const TimedModel& timed);

  /// Time of a meeting of all processors, and of an entry that waits for all processors and signals.
  nlohmann::json barriers() const;
  /// Time of one level of F and ∂F with one row per sample, computed as the difference between long and short samples.
  nlohmann::json levels() const;
  /// Times of steps, and of the epoch of these steps.
  nlohmann::json steps() const;
  /// For a kernel with clocks: the time of a step by stage and operation, as the mean over processors. Parts of an
  /// entry are finding operands, waiting, working and signalling.
  nlohmann::json profile() const;

 private:
  struct Launches {
    double measured_us = 0;
    int steps = 0;
  };
  std::vector<double> launch(const PackedStep& packed, int launches, std::vector<long long>* clocks = nullptr) const;
  /// Launches the minibatches of a data set once each, after one launch that does not count.
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
