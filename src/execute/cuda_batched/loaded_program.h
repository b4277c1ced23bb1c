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

/// Returns the options of the kernels of engine batched. @param callers  see KernelOptions
KernelOptions batched_options(const DeviceProperties& gpu, Precision precision, bool callers = false);

/// A program's kernels on a GPU, with the objects that list and submit the launches of a minibatch. One thread may list
/// while another launches.
class LoadedProgram {
 public:
  /// Device and program must outlive this object. @param timed  true to time each launch (SessionOptions::time_kernels)
  /// @throws UserError if there is no NVRTC, or if the kernels do not support the program
  LoadedProgram(const DeviceRef& device, const Program& program, const KernelOptions& options, bool timed = false);

  const KernelOptions& options() const { return options_; }
  /// A placement with one processor and no kept weights. Entries of its scripts are in the plan's order and never wait.
  const WeightPlacement& placement() const { return placement_; }
  const LoadedKernels& kernels() const { return kernels_; }
  const Launcher& launcher() const { return launcher_; }

  std::vector<std::string> describe() const;
  void list(const Plan& plan, const Script& script, LaunchList& launches);
  /// Adds the times of the launches of a step to `works`.
  void take(const KernelTimes& times, KernelWorks& works);
  /// Launches items that list() has listed. @param counts  counts to which the launches are added
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
