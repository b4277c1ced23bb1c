#pragma once

#include <memory>
#include <string>
#include <vector>

#include "execute/cuda/device_engine.h"
#include "execute/cuda_batched/launcher.h"
#include "placement/placement.h"

namespace cavs::cuda {

/// Engine `batched` on a GPU: an instruction of a step is a launch of a kernel that is made for the program; those of
/// tasks that follow each other are one graph (Cavs, section 3; docs/gpu.md).
class CudaBatchedEngine final : public DeviceEngine {
 public:
  /// @throws UserError where there is no GPU, driver or NVRTC, and for what the kernels lack
  explicit CudaBatchedEngine(const EngineContext& context);
  ~CudaBatchedEngine() override;
  CudaBatchedEngine(const CudaBatchedEngine&) = delete;
  CudaBatchedEngine& operator=(const CudaBatchedEngine&) = delete;

  std::unique_ptr<EngineRun> make_run() override;
  /// On the GPU where the gradients are there.
  UpdateResult update(EngineRun& run, const UpdateRequest& request) override;
  std::unique_ptr<StepSum> make_sum(const Parameters& values, Gradients& total) override;
  bool average(Parameters& averages, float rate) override;
  std::vector<std::string> describe() const override { return kernels_.describe(); }

  /// One processor, which keeps no weights: the entries of its scripts are in the plan's order, and nothing waits.
  const WeightPlacement& placement() const { return placement_; }
  const KernelOptions& kernel_options() const { return kernel_options_; }
  const BatchedKernels& kernels() const { return kernels_.kernels(); }
  LaunchLister& lister() { return lister_; }
  /// Those of the lister's items. @param counts  are added to
  void launch(std::span<const LaunchItem> items, const EntryText& text_of, LaunchCounts& counts) {
    launcher_.launch(stream(), items, lister_.levels(), text_of, counts);
  }
  void launch(SharedKernel kernel, LaunchCounts& counts) const { launcher_.launch(stream(), kernel, counts); }
  /// Sends what all launches from here on share. @param next  the first stretch
  void begin_pass(const KernelArguments& arguments, const Stretch* next = nullptr);

 private:
  const KernelOptions kernel_options_;
  const WeightPlacement placement_;
  const KernelTables tables_;
  const LoadedKernels kernels_;
  Launcher launcher_;
  LaunchLister lister_;
  PinnedMemory staged_pass_;
  Event pass_event_;
  LaunchCounts of_no_run_;
};

}  // namespace cavs::cuda
