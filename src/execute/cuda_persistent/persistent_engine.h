#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/cuda/persistent/kernel_arguments.h"
#include "execute/cuda/device_parameters.h"
#include "execute/cuda_persistent/kernel_set.h"
#include "execute/update.h"

namespace cavs::cuda {

/// Engine `persistent` on a GPU: a minibatch is one launch of a kernel that is made for the program, for forward,
/// backward and update (VPPS). Parameters, gradients and the optimiser's state stay in the GPU's memory. What a launch
/// reads is copied there while the one before it runs.
class PersistentEngine final : public Engine {
 public:
  /// @throws UserError where there is no GPU, driver or NVRTC, and for what the kernel lacks
  explicit PersistentEngine(const EngineContext& context);

  std::unique_ptr<EngineRun> make_run() override;
  Precision precision() const override { return options_.precision; }
  std::int64_t available_memory() const override { return device_->free_memory(); }
  std::vector<std::string> describe() const override;
  /// On the host, which gets the gradients.
  UpdateResult update(EngineRun&, const UpdateRequest& request) override { return updater_.update(request); }
  bool set_slack(std::function<bool()> slice) override;
  void finish_slack() override;

  const WeightPlacement& placement() const;
  const DeviceRef& device() const { return device_; }
  const Program& program() const { return *program_; }
  Parameters& values() const { return *values_; }
  DeviceParameters& parameters() { return parameters_; }
  KernelSet& kernels() { return kernels_; }
  const SessionOptions& options() const { return options_; }
  /// What all launches use, one after the other.
  KernelArguments arguments() const;
  const Stream& uploads() const { return uploads_; }

 private:
  const std::shared_ptr<const Program> program_;
  const std::shared_ptr<Parameters> values_;
  const SessionOptions& options_;
  DeviceRef device_;
  KernelSet kernels_;
  DeviceMemory progress_, squares_, result_;
  DeviceParameters parameters_;
  Stream uploads_;  // of what the next launch reads
  HostUpdater updater_;
  std::function<bool()> slack_;
};

}  // namespace cavs::cuda
