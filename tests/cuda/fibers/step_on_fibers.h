#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "cuda/fibers/compiled_kernel.h"
#include "cuda/persistent_step.h"

namespace cavs::cuda {

/// A model compiled for the persistent kernel, and the kernel compiled for fibers (emulated CUDA threads).
class KernelOnFibers {
 public:
  KernelOnFibers(const Model& model, const OnChipTarget& target, const CompileOptions& options = {})
      : KernelOnFibers(PersistentStep(model, target, PersistentStep::kSmallBlocks, options)) {}
  explicit KernelOnFibers(PersistentStep step) : step_(std::move(step)), kernel_(step_.source()) {}
  /// @param source  source of the kernel, in place of the source in `step`
  KernelOnFibers(PersistentStep step, const KernelSource& source) : step_(std::move(step)), kernel_(source) {}

  const PersistentStep& step() const { return step_; }

  /// Runs a step. @throws std::runtime_error with the faults, if there are any
  StepOutcome run(const GraphSet& graphs, std::span<const std::int32_t> samples, const Parameters& parameters,
                  const StepOptions& options) const {
    return run(step_.pack(graphs, samples, options), parameters, options);
  }
  StepOutcome run(const PackedStep& minibatch, const Parameters& parameters, const StepOptions& options) const {
    std::vector<std::string> faults;
    StepOutcome outcome = run(minibatch, parameters, options, faults);
    if (!faults.empty()) throw std::runtime_error(fmt::format("{}", fmt::join(faults, "\n")));
    return outcome;
  }
  StepOutcome run(const PackedStep& minibatch, const Parameters& parameters, const StepOptions& options,
                  std::vector<std::string>& faults) const {
    return step_.run(
        minibatch, parameters, options,
        [&](const LaunchShape& shape, const KernelArguments& arguments, std::span<const LaunchBuffer> memory) {
          faults = kernel_.launch(shape.blocks, shape.threads, shape.order, memory, arguments);
        });
  }

 private:
  PersistentStep step_;
  CompiledKernel kernel_;
};

}  // namespace cavs::cuda
