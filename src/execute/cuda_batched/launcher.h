#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backend/cuda/batched/launch_list.h"
#include "backend/cuda/device.h"
#include "execute/cuda/launch_counts.h"
#include "execute/cuda_batched/loaded_kernels.h"

namespace cavs::cuda {

/// How launches reach the GPU. The bits are the same.
enum class LaunchForm : std::uint8_t {
  kPlain,   // one call each
  kGraphs,  // those of tasks that follow each other by one call
  kEarly,   // and each comes to the GPU's processors while the one before it ends
};

/// Launches what a LaunchLister lists. A graph is made when one of its kind and size is first needed. One thread at a
/// time.
class Launcher {
 public:
  /// All outlive it.
  Launcher(const DeviceRef& device, const LoadedKernels& kernels, LaunchForm form);

  LaunchForm form() const { return form_; }
  /// Where launches find the Pass that they share.
  DevicePointer pass() const { return pass_.at(); }

  /// @param levels  LaunchLister::levels()
  /// @param counts  are added to
  void launch(const Stream& stream, std::span<const LaunchItem> items, const std::vector<LaunchLister::Level>& levels,
              LaunchCounts& counts);
  /// A launch of the update, or of what comes before ∂F.
  void launch(const Stream& stream, SharedKernel kernel, LaunchCounts& counts) const;

 private:
  struct Levels {
    std::unique_ptr<Graph> graph;
    std::int64_t nodes = 0;
  };

  const Levels& graph(const LaunchItem& item, const LaunchLister::Level& level);
  void launch(const Stream& stream, const LaunchItem& item, LaunchCounts& counts) const;

  const DeviceRef device_;
  const LoadedKernels& kernels_;
  DeviceMemory pass_;
  const LaunchForm form_;
  std::map<std::pair<int, int>, Levels> graphs_;  // by kind of level, and how many
};

}  // namespace cavs::cuda
