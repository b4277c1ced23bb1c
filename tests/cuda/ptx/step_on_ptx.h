#pragma once

#include <string>

#include "cuda/persistent_step.h"
#include "cuda/ptx/machine.h"
#include "cuda/ptx/nvrtc.h"

namespace cavs::cuda::ptx {

inline std::vector<std::string> nvrtc_options() { return {std::begin(kNvrtcOptions), std::end(kNvrtcOptions)}; }

/// Compiles the persistent kernel to PTX by NVRTC, and runs the PTX in the interpreter.
class KernelInPtx {
 public:
  /// @param architecture  virtual architecture, such as "compute_80"
  KernelInPtx(const KernelSource& source, const std::string& architecture)
      : module_(Module::load(TestNvrtc::compile(source, architecture, nvrtc_options()).ptx)) {}

  /// Runs a step. @throws Fault
  StepOutcome run(const PersistentStep& step, const PackedStep& minibatch, const Parameters& parameters,
                  const StepOptions& options) {
    return step.run(minibatch, parameters, options,
                    [&](const LaunchShape& shape, const KernelArguments& arguments, std::span<const LaunchBuffer> all) {
                      counts_ = launch(module_, kKernelName,
                                       {.blocks = shape.blocks,
                                        .threads = shape.threads,
                                        .seed = shape.order,
                                        .dynamic_shared_bytes = static_cast<std::size_t>(shape.shared_bytes)},
                                       all, &arguments, sizeof arguments);
                    });
  }
  /// Returns the counts of the last run.
  const LaunchCounts& counts() const { return counts_; }

 private:
  Module module_;
  LaunchCounts counts_;
};

}  // namespace cavs::cuda::ptx
