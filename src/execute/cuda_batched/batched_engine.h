#pragma once

#include <memory>
#include <string>
#include <vector>

#include "execute/cuda/device_engine.h"
#include "execute/cuda_batched/loaded_program.h"

namespace cavs::cuda {

/// Engine `batched` on a GPU: an instruction of a step is a launch of a kernel that is made for the program; those of
/// tasks that follow each other are one graph (Cavs, section 3; docs/guide/gpu.md).
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
  std::vector<std::string> describe() const override { return loaded_.describe(); }

  LoadedProgram& loaded() { return loaded_; }
  void launch(SharedKernel kernel, LaunchCounts& counts) const { loaded_.launcher().launch(stream(), kernel, counts); }
  /// Where parameters have changed since: the weights of products in bf16.
  void round_weights(LaunchCounts& counts);
  /// Sends what all launches from here on share. @param next  the first stretch
  void begin_pass(const KernelArguments& arguments, const Stretch* next = nullptr);

 private:
  LoadedProgram loaded_;
  PinnedMemory staged_pass_;
  Event pass_event_;
  LaunchCounts of_no_run_;
  std::uint64_t rounded_ = 0;  // changes of the parameters when weights were rounded
};

}  // namespace cavs::cuda
