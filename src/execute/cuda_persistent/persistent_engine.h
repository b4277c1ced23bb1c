#pragma once

#include <memory>
#include <string>
#include <vector>

#include "execute/cuda/device_engine.h"
#include "execute/cuda_persistent/kernel_set.h"

namespace cavs::cuda {

/// Engine `persistent` on a GPU. A minibatch is one launch of a kernel made for the program: forward, backward and
/// update (VPPS). The data of a launch are copied to the GPU while the previous launch runs.
class PersistentEngine final : public DeviceEngine {
 public:
  /// @throws UserError if there is no GPU, driver or NVRTC, or if the program needs what the kernel lacks
  explicit PersistentEngine(const EngineContext& context);

  std::unique_ptr<EngineRun> make_run() override;
  std::vector<std::string> describe() const override;

  const WeightPlacement& placement() const;
  KernelSet& kernels() { return kernels_; }
  /// The processors' counters. They are 0 before each launch.
  const DeviceMemory& progress() const { return progress_; }

 private:
  KernelSet kernels_;
  DeviceMemory progress_;
};

}  // namespace cavs::cuda
