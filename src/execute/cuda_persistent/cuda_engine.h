#pragma once

#include <memory>
#include <string>
#include <vector>

#include "execute/cuda_persistent/device_parameters.h"
#include "execute/cuda_persistent/kernel_set.h"
#include "execute/engine.h"

namespace cavs::cuda {

/// Engine `persistent` on a GPU: a minibatch is one launch of a kernel that is made for the program, for forward,
/// backward and update (VPPS). Parameters, gradients and the optimiser's state stay in the GPU's memory. What a launch
/// reads is copied there while the one before it runs.
class CudaEngine final : public Engine {
 public:
  /// @throws UserError where there is no GPU, driver or NVRTC, and for what the kernel lacks
  explicit CudaEngine(const EngineContext& context);

  std::unique_ptr<EngineRun> make_run() override;
  Precision precision() const override { return precision_; }
  bool reads_kept_states() const override { return false; }
  bool streams() const override { return false; }
  int processors() const override { return kernels_.processors(); }
  bool leaves_caller_free() const override { return true; }
  std::int64_t available_memory() const override { return device_->free_memory(); }
  const WeightPlacement* placement() const override;
  std::vector<std::string> describe() const override { return kernels_.describe(); }
  /// Updates of gradients that the host has are the host's.
  ParameterRows* begin_update(EngineRun*) override { return nullptr; }
  void end_update() override;

  const DeviceRef& device() const { return device_; }
  const Program& program() const { return *program_; }
  Parameters& values() const { return *values_; }
  DeviceParameters& parameters() { return parameters_; }
  KernelSet& kernels() { return kernels_; }
  Team& team() { return team_; }
  std::uint64_t seed() const { return seed_; }
  bool checks_scripts() const { return check_scripts_; }
  bool profiles() const { return profile_; }
  /// What all launches use, one after the other.
  KernelArguments arguments() const;
  const Stream& uploads() const { return uploads_; }
  /// A launch has updated the parameters.
  void updated(Optimizer& optimizer) { parameters_.end_update(optimizer), was_updated_ = true; }

 private:
  const std::shared_ptr<const Program> program_;
  const std::shared_ptr<Parameters> values_;
  Team& team_;
  const Precision precision_;
  const std::uint64_t seed_;
  const bool check_scripts_, profile_;
  DeviceRef device_;
  KernelSet kernels_;
  DeviceMemory progress_, squares_, result_;
  DeviceParameters parameters_;
  Stream uploads_;  // of what the next launch reads
  bool was_updated_ = false;
};

}  // namespace cavs::cuda
