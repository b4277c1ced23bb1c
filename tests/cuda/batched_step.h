#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/batched/kernel_source.h"
#include "backend/cuda/batched/launch_list.h"
#include "cuda/fibers/compiled_kernel.h"
#include "cuda/step_case.h"

namespace cavs::cuda {

/// Runs one launch of a kernel, and waits for it.
using LaunchOne =
    std::function<void(const BatchedKernels::Kernel&, const Launch&, std::span<const LaunchBuffer> memory)>;

/// A model compiled for a GPU's engine batched, and a training step as a list of launches. PersistentStep provides the
/// step, its memory and its outcome, with a script for one processor that keeps no weights.
class BatchedStep {
 public:
  /// @param costs  costs that determine the sizes of tiles
  explicit BatchedStep(const StepCase& of, const TileCosts& costs = {})
      : costs_(costs),
        step_(of.zoo.model, gpu_target("a GPU", 1, 1, 0), options_of(of), of.options, target_of(of)),
        tables_(kernel_tables(step_.program(), step_.placement(), options_of(of))),
        kernels_(batched_kernels(step_.program(), tables_, options_of(of))) {}

  static KernelOptions options_of(const StepCase& of) {
    KernelOptions options = of.kernel;
    options.warps = kTileWarps;
    return options;
  }
  /// batched_target() with the block size of sums that the case asks for.
  static Target target_of(const StepCase& of) {
    Target target = batched_target();
    target.sum_rows = of.target.sum_rows;
    target.tile_sums = of.target.tile_sums;
    return target;
  }

  const PersistentStep& step() const { return step_; }
  const BatchedKernels& kernels() const { return kernels_; }
  const KernelSource& source() const { return kernels_.source; }
  PackedStep pack(const GraphSet& graphs, std::span<const std::int32_t> samples, const StepOptions& options) const {
    return step_.pack(graphs, samples, options);
  }

  LaunchList launches(const PackedStep& minibatch) const {
    LaunchList list;
    LaunchLister(step_.program(), tables_, kernels_, costs_, false).list(minibatch.plan, minibatch.script, list);
    return list;
  }

  StepOutcome run(const PackedStep& minibatch, const Parameters& parameters, const StepOptions& options,
                  const LaunchOne& launch) const {
    const LaunchList list = launches(minibatch);
    return step_.run(minibatch, parameters, options,
                     [&](const LaunchShape&, const KernelArguments& arguments, std::span<const LaunchBuffer> memory) {
                       Pass pass{.arguments = arguments, .next = nullptr, .stretch = {0, 0}};
                       std::vector<LaunchBuffer> all(memory.begin(), memory.end());
                       for (LaunchBuffer& buffer : all)
                         buffer.written = true;  // a launch may read what earlier launches wrote
                       all.push_back({"pass", &pass, sizeof pass});
                       const auto run_one = [&](int kernel, const LaunchItem& item) {
                         launch(kernels_.kernels[static_cast<std::size_t>(kernel)],
                                {.pass = &pass, .entry = item.entry, .tile = item.tile, .of_stretch = 0}, all);
                       };
                       const auto run_items = [&](std::span<const LaunchItem> items) {
                         for (const LaunchItem& item : items) run_one(item.kernel, item);
                       };
                       if (!kernels_.kernels[kRoundWeights].name.empty()) run_one(kRoundWeights, {});
                       run_items(std::span(list.items).first(list.backward));
                       run_one(kClearGradients, {});
                       run_items(std::span(list.items).subspan(list.backward));
                       run_one(kSums, {});
                       run_one(kUpdateParameters, {});
                     });
  }

 private:
  TileCosts costs_;
  PersistentStep step_;
  KernelTables tables_;
  BatchedKernels kernels_;
};

/// Runs the kernels of a step on fibers, and checks every access.
class LaunchesOnFibers {
 public:
  explicit LaunchesOnFibers(const BatchedStep& step) : LaunchesOnFibers(step, step.kernels().source) {}
  /// @param source  replaces the source of the step
  LaunchesOnFibers(const BatchedStep& step, const KernelSource& source) : step_(step), module_(source) {}

  /// @param blocks  number of blocks per launch. @throws std::runtime_error naming the kernel and its fault
  StepOutcome run(const PackedStep& minibatch, const Parameters& parameters, const StepOptions& options,
                  int blocks) const {
    return step_.run(
        minibatch, parameters, options,
        [&](const BatchedKernels::Kernel& kernel, const Launch& launch, std::span<const LaunchBuffer> memory) {
          const auto function = module_.find<void (*)(Launch)>(kernel.name.c_str());
          const std::vector<std::string> faults = launch_on_fibers(
              blocks, kTileThreads, options.order, memory, [&] { function(launch); }, kernel.shared_bytes);
          if (!faults.empty()) throw std::runtime_error(kernel.name + ": " + faults.front());
        });
  }

 private:
  const BatchedStep& step_;
  const CompiledModule module_;
};

}  // namespace cavs::cuda
