#pragma once

#include <memory>

#include "backend/cuda/device.h"
#include "execute/kept_states.h"

namespace cavs::cuda {

/// Memory on a GPU for kept states.
class DeviceStateMemory final : public StateMemory {
 public:
  /// @param stream  must outlive this object; work on other streams must be done before resize()
  DeviceStateMemory(DeviceRef device, const Stream& stream)
      : device_(std::move(device)), stream_(stream), memory_(std::make_unique<DeviceMemory>(device_)) {}

  void resize(std::int64_t floats, std::span<const Move> moves) override;
  float* begin() override { return memory_->as<float>(); }

 private:
  const DeviceRef device_;
  const Stream& stream_;
  std::unique_ptr<DeviceMemory> memory_;
};

}  // namespace cavs::cuda
