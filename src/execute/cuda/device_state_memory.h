#pragma once

#include <memory>

#include "backend/cuda/device.h"
#include "execute/kept_states.h"

namespace cavs::cuda {

/// States that are kept in a GPU's memory.
class DeviceStateMemory final : public StateMemory {
 public:
  /// @param stream  outlives this; what uses the memory on other streams is done before resize() is called
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
