#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/cuda/batched/launch_list.h"
#include "execute/cuda_batched/kernel_times.h"
#include "execute/cuda_batched/launcher.h"
#include "execute/cuda_batched/tile_tuner.h"
#include "placement/placement.h"

namespace cavs::cuda {

/// The options of the kernels of engine batched.
KernelOptions batched_options(Precision precision, bool callers = false);

/// A program's kernels on a GPU, and what lists and launches them for a minibatch. One thread at a time lists, and one
/// launches.
class LoadedProgram {
 public:
  /// Device and program outlive it. @param timed  each launch is timed (SessionOptions::time_kernels)
  /// @throws UserError where there is no NVRTC, and for what the kernels lack
  LoadedProgram(const DeviceRef& device, const Program& program, const KernelOptions& options, bool timed = false);

  const KernelOptions& options() const { return options_; }
  /// One processor, which keeps no weights: the entries of its scripts are in the plan's order, and nothing waits.
  const WeightPlacement& placement() const { return placement_; }
  const LoadedKernels& kernels() const { return kernels_; }
  const Launcher& launcher() const { return launcher_; }

  std::vector<std::string> describe() const;
  void list(const Plan& plan, const Script& script, LaunchList& launches);
  /// Takes the times of a step's launches.
  void take(const KernelTimes& times, KernelWorks& works);
  /// Launches what list() has listed. @param counts  are added to
  void launch(const Stream& stream, std::span<const LaunchItem> items, const EntryText& text_of, LaunchCounts& counts) {
    launcher_.launch(stream, items, lister_.levels(), text_of, counts);
  }

 private:
  const KernelOptions options_;
  const WeightPlacement placement_;
  const KernelTables tables_;
  const LoadedKernels kernels_;
  Launcher launcher_;
  const bool timed_;
  TileTuner tuner_;
  LaunchLister lister_;
};

}  // namespace cavs::cuda
