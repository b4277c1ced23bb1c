#pragma once

#include <memory>
#include <string>
#include <vector>

#include "execute/cuda/device_engine.h"
#include "execute/cuda_persistent/kernel_set.h"

namespace cavs::cuda {

/// Engine `persistent` on a GPU: a minibatch is one launch of a kernel that is made for the program, for forward,
/// backward and update (VPPS). What a launch reads is copied there while the one before it runs.
class PersistentEngine final : public DeviceEngine {
 public:
  /// @throws UserError where there is no GPU, driver or NVRTC, and for what the kernel lacks
  explicit PersistentEngine(const EngineContext& context);

  std::unique_ptr<EngineRun> make_run() override;
  std::vector<std::string> describe() const override;

  const WeightPlacement& placement() const;
  KernelSet& kernels() { return kernels_; }
  /// The processors' counters, which are 0 before each launch.
  const DeviceMemory& progress() const { return progress_; }

 private:
  KernelSet kernels_;
  DeviceMemory progress_;
};

}  // namespace cavs::cuda
