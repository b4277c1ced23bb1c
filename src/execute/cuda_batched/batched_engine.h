#pragma once

#include <memory>
#include <string>
#include <vector>

#include "execute/cuda/device_engine.h"
#include "execute/cuda_batched/loaded_program.h"

namespace cavs::cuda {

/// Engine `batched` for a GPU. It launches one kernel, made for the program, per instruction of a step. Consecutive
/// tasks form one CUDA graph (Cavs, section 3; docs/guide/gpu.md).
class CudaBatchedEngine final : public DeviceEngine {
 public:
  /// @throws UserError if there is no GPU, driver or NVRTC, or if the kernels do not support the program
  explicit CudaBatchedEngine(const EngineContext& context);
  ~CudaBatchedEngine() override;
  CudaBatchedEngine(const CudaBatchedEngine&) = delete;
  CudaBatchedEngine& operator=(const CudaBatchedEngine&) = delete;

  std::unique_ptr<EngineRun> make_run() override;
  /// Updates on the GPU if it has the gradients, else on the host.
  UpdateResult update(EngineRun& run, const UpdateRequest& request) override;
  std::unique_ptr<StepSum> make_sum(const Parameters& values, Gradients& total) override;
  bool average(Parameters& averages, float rate) override;
  std::vector<std::string> describe() const override { return loaded_.describe(); }

  LoadedProgram& loaded() { return loaded_; }
  void launch(SharedKernel kernel, LaunchCounts& counts) const { loaded_.launcher().launch(stream(), kernel, counts); }
  /// Rounds the weights of products to bf16, if parameters have changed since the last call.
  void round_weights(LaunchCounts& counts);
  /// Sends the arguments that all launches of the pass share. @param next  stretch (entries) of the first graph
  void begin_pass(const KernelArguments& arguments, const Stretch* next = nullptr);

 private:
  LoadedProgram loaded_;
  PinnedMemory staged_pass_;   // the Pass that is copied to the GPU
  Event pass_event_;           // recorded after the copy of staged_pass_
  LaunchCounts of_no_run_;     // counts of launches outside of runs
  std::uint64_t rounded_ = 0;  // parameters().changes() at the last rounding of weights
};

}  // namespace cavs::cuda
