#pragma once

#include <memory>
#include <string>
#include <vector>

#include "execute/cuda/device_engine.h"
#include "execute/cuda_persistent/kernel_set.h"

namespace cavs::cuda {

/// Engine `persistent` for a GPU. One launch of a kernel made for the program does all work of a minibatch: forward,
/// backward and update (VPPS). The data of a launch are copied to the GPU while the previous launch runs.
class PersistentEngine final : public DeviceEngine {
 public:
  /// @throws UserError if there is no GPU, driver or NVRTC, or if the kernel does not support the program
  explicit PersistentEngine(const EngineContext& context);

  std::unique_ptr<EngineRun> make_run() override;
  std::vector<std::string> describe() const override;

  /// Returns the placement for the chosen kernel; for the first kernel if none is chosen yet.
  const WeightPlacement& placement() const;
  KernelSet& kernels() { return kernels_; }
  /// Returns the processors' progress counters, which are 0 before each launch.
  const DeviceMemory& progress() const { return progress_; }

 private:
  KernelSet kernels_;
  DeviceMemory progress_;
};

}  // namespace cavs::cuda
