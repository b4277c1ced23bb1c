#pragma once

#include <span>

#include "backend/cuda/batched/launch_list.h"
#include "execute/cuda_batched/launcher.h"
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
  LaunchLister& lister() { return lister_; }
  const Launcher& launcher() const { return launcher_; }

  /// Those of the lister's items. @param counts  are added to
  void launch(const Stream& stream, std::span<const LaunchItem> items, const EntryText& text_of, LaunchCounts& counts) {
    launcher_.launch(stream, items, lister_.levels(), text_of, counts);
  }

 private:
  const KernelOptions options_;
  const WeightPlacement placement_;
  const KernelTables tables_;
  const LoadedKernels kernels_;
  Launcher launcher_;
  LaunchLister lister_;
};

}  // namespace cavs::cuda
