#pragma once

#include <deque>
#include <optional>

#include "backend/cuda/batched/tile_choice.h"
#include "backend/cuda/device.h"
#include "cavs/session.h"

namespace cavs::cuda {

/// Measures launches by the GPU's clock, with an event after each launch. Events slow down the host, so a long
/// operation is queued first, and the GPU never waits for the host.
class KernelTimes {
 public:
  explicit KernelTimes(DeviceRef device) : device_(std::move(device)), delay_(device_) {}

  void clear() { used_ = 0; }
  /// Call this before the first launch.
  void begin(const Stream& stream);
  /// Call this after each launch.
  void add(const Stream& stream, KernelKind kind, const TileUse& use) { record(stream, kind, use); }
  /// Adds the times of all launches since clear(), which must have ended.
  void take(KernelWorks& works, TileFit& tiles) const;

 private:
  struct Mark {
    explicit Mark(const DeviceRef& device) : event(device) {}
    Event event;
    std::optional<KernelKind> kind;  // kind of the launch before the event; nullopt if there is none
    TileUse use;                     // tiles of this launch
  };
  void record(const Stream& stream, std::optional<KernelKind> kind, const TileUse& use);

  DeviceRef device_;
  DeviceMemory delay_;  // memory that is cleared to keep the GPU busy, see begin()
  std::deque<Mark> marks_;
  std::size_t used_ = 0;  // number of marks since clear()
};

}  // namespace cavs::cuda
