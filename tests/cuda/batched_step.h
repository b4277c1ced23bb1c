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

/// Carries out one launch of a kernel, and waits for it.
using LaunchOne =
    std::function<void(const BatchedKernels::Kernel&, const Launch&, std::span<const LaunchBuffer> memory)>;

/// A model compiled for engine batched of a GPU, and a training step as its launches, one by one. The step itself, its
/// memory and what it left behind are those of PersistentStep, with a script of one processor that keeps no weights.
class BatchedStep {
 public:
  /// @param costs  that the sizes of tiles are chosen by
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
  /// batched_target() with the sums that the case asks for.
  static Target target_of(const StepCase& of) {
    Target target = batched_target();
    target.sum_rows = of.target.sum_rows, target.tile_sums = of.target.tile_sums;
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
                         buffer.written = true;  // a launch does not know what others have written
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

/// The kernels of a step on fibers, every access looked at.
class LaunchesOnFibers {
 public:
  explicit LaunchesOnFibers(const BatchedStep& step) : LaunchesOnFibers(step, step.kernels().source) {}
  /// @param source  in place of the step's
  LaunchesOnFibers(const BatchedStep& step, const KernelSource& source) : step_(step), module_(source) {}

  /// @param blocks  of each launch. @throws std::runtime_error naming the kernel and its fault
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
