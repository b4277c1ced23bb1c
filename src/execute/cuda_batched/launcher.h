#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/batched/launch_list.h"
#include "backend/cuda/device.h"
#include "execute/cuda/launch_counts.h"
#include "execute/cuda_batched/loaded_kernels.h"

namespace cavs::cuda {

/// Ways to submit launches to the GPU. All give bit-identical results.
enum class LaunchForm : std::uint8_t {
  kWaited,  // one call per launch; the host waits after each, so that an error message identifies the launch
  kPlain,   // one call per launch
  kGraphs,  // one call for the launches of consecutive tasks
  kEarly,   // like kGraphs, and each launch starts while the launch before it ends
};

/// Returns a description of an entry of a script, for messages.
using EntryText = std::function<std::string(int entry)>;

/// Submits the launches that a LaunchLister lists. Launches of a branch go to a stream of low priority. A graph is made
/// when a graph of its kind and size is first needed. Not thread-safe.
class Launcher {
 public:
  /// All arguments must outlive this object.
  Launcher(const DeviceRef& device, const LoadedKernels& kernels, LaunchForm form);

  LaunchForm form() const { return form_; }
  /// Returns the address of the Pass, the arguments that all launches share.
  DevicePointer pass() const { return pass_.at(); }

  /// Launches the items. Later work on the stream waits until all of them are done.
  /// @param levels  LaunchLister::levels()
  /// @param text_of  describes entries of the items' script   @param counts  counts to which the launches are added
  /// @throws UserError if a launch fails; in form kWaited the message includes the kernel and the entry
  void launch(const Stream& stream, std::span<const LaunchItem> items, const std::vector<LaunchLister::Level>& levels,
              const EntryText& text_of, LaunchCounts& counts);
  /// Launches a kernel of the update, or one that precedes ∂F.
  void launch(const Stream& stream, SharedKernel kernel, LaunchCounts& counts) const {
    launch_one(stream, {.kernel = kernel}, nullptr, counts);
  }

 private:
  struct Levels {
    std::unique_ptr<Graph> graph;  // launches of some levels; nullptr if not made yet
    std::int64_t nodes = 0;        // number of launches in the graph
  };

  void launch_one(const Stream& stream, const LaunchItem& item, const EntryText& text_of, LaunchCounts& counts) const;
  const Levels& graph(const LaunchItem& item, const LaunchLister::Level& level);
  /// Makes later work of `after` wait for all present work of `before`.
  static void order(const Stream& before, const Event& event, const Stream& after);

  const DeviceRef device_;
  const LoadedKernels& kernels_;
  DeviceMemory pass_;
  const Stream captured_;  // stream for capturing graphs
  const LaunchForm form_;
  std::map<std::pair<int, int>, Levels> graphs_;  // key: kind of level, number of levels
  std::optional<Stream> branch_;                  // stream of the branch, made when first needed
  Event begun_, joined_;                          // events that order the branch and the main stream
};

}  // namespace cavs::cuda
