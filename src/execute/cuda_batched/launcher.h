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

/// How launches reach the GPU. The bits are the same.
enum class LaunchForm : std::uint8_t {
  kWaited,  // one call each, and the host waits for each: a launch that fails is named
  kPlain,   // one call each
  kGraphs,  // those of tasks that follow each other by one call
  kEarly,   // and each comes to the GPU's processors while the one before it ends
};

/// Says what an entry of a script is, for messages.
using EntryText = std::function<std::string(int entry)>;

/// Launches what a LaunchLister lists; what is on a branch on a stream of low priority. A graph is made when one of its
/// kind and size is first needed. One thread at a time.
class Launcher {
 public:
  /// All outlive it.
  Launcher(const DeviceRef& device, const LoadedKernels& kernels, LaunchForm form);

  LaunchForm form() const { return form_; }
  /// Where launches find the Pass that they share.
  DevicePointer pass() const { return pass_.at(); }

  /// @param levels  LaunchLister::levels()   @param text_of  of entries of the items' script
  /// What follows on the stream waits for all of it.
  /// @param counts  are added to
  /// @throws UserError if a launch fails; in form `waited` it names the kernel and the entry
  void launch(const Stream& stream, std::span<const LaunchItem> items, const std::vector<LaunchLister::Level>& levels,
              const EntryText& text_of, LaunchCounts& counts);
  /// A launch of the update, or of what comes before ∂F.
  void launch(const Stream& stream, SharedKernel kernel, LaunchCounts& counts) const {
    launch_one(stream, {.kernel = kernel}, nullptr, counts);
  }

 private:
  struct Levels {
    std::unique_ptr<Graph> graph;
    std::int64_t nodes = 0;
  };

  void launch_one(const Stream& stream, const LaunchItem& item, const EntryText& text_of, LaunchCounts& counts) const;
  const Levels& graph(const LaunchItem& item, const LaunchLister::Level& level);
  static void order(const Stream& before, const Event& event, const Stream& after);

  const DeviceRef device_;
  const LoadedKernels& kernels_;
  DeviceMemory pass_;
  const Stream captured_;  // on which graphs are captured
  const LaunchForm form_;
  std::map<std::pair<int, int>, Levels> graphs_;  // by kind of level, and how many
  std::optional<Stream> branch_;                  // once there is work for it
  Event begun_, joined_;                          // of the branch
};

}  // namespace cavs::cuda
