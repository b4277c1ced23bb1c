#pragma once

#include "cuda/fibers/compiled_kernel.h"
#include "cuda/persistent_step.h"

namespace cavs::cuda {

/// A model compiled for the persistent kernel, and the kernel for fibers.
class KernelOnFibers {
 public:
  KernelOnFibers(const Model& model, const OnChipTarget& target, const CompileOptions& options = {})
      : step_(model, target, PersistentStep::kSmallBlocks, options), kernel_(step_.source()) {}

  const PersistentStep& step() const { return step_; }

  StepOutcome run(const GraphSet& graphs, std::span<const std::int32_t> samples, const Parameters& parameters,
                  const StepOptions& options) const {
    return run(step_.pack(graphs, samples, options), parameters, options);
  }
  StepOutcome run(const PackedStep& minibatch, const Parameters& parameters, const StepOptions& options) const {
    return step_.run(minibatch, parameters, options,
                     [&](const LaunchShape& shape, const KernelArguments& arguments, std::span<const LaunchBuffer>) {
                       kernel_.launch(shape.blocks, shape.threads, shape.order, arguments);
                     });
  }

 private:
  PersistentStep step_;
  CompiledKernel kernel_;
};

}  // namespace cavs::cuda
