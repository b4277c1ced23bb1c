#pragma once

#include <deque>
#include <optional>

#include "backend/cuda/batched/tile_choice.h"
#include "backend/cuda/device.h"
#include "cavs/session.h"

namespace cavs::cuda {

/// Measures launches by the GPU's clock, with an event after each. Something that takes the GPU long comes first, so
/// that the host, which is slower with its events, does not keep it waiting.
class KernelTimes {
 public:
  explicit KernelTimes(DeviceRef device) : device_(std::move(device)), delay_(device_) {}

  void clear() { used_ = 0; }
  /// Before launches.
  void begin(const Stream& stream);
  /// After a launch.
  void add(const Stream& stream, KernelKind kind, const TileUse& use) { record(stream, kind, use); }
  /// When all has ended: adds what was measured since clear().
  void take(KernelWorks& works, TileFit& tiles) const;

 private:
  struct Mark {
    explicit Mark(const DeviceRef& device) : event(device) {}
    Event event;
    std::optional<KernelKind> kind;  // of the launch before it
    TileUse use;                     // of that
  };
  void record(const Stream& stream, std::optional<KernelKind> kind, const TileUse& use);

  DeviceRef device_;
  DeviceMemory delay_;
  std::deque<Mark> marks_;
  std::size_t used_ = 0;
};

}  // namespace cavs::cuda
