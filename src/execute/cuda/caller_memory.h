#pragma once

#include <cstdint>
#include <span>

#include "backend/cuda/device.h"
#include "tensor/array.h"

namespace cavs::cuda {

/// The values of a parameter in device memory that the caller owns. The caller keeps the memory alive, and waits for
/// its own work on the memory before it calls a function that accesses it. read() and write() return after the copy.
class CallerMemory final : public detail::Array::Home {
 public:
  /// @param size  number of floats
  CallerMemory(const DeviceRef& device, DevicePointer values, std::int64_t size)
      : device_(device), stream_(device), values_(values), bytes_(size * std::int64_t{sizeof(float)}) {}

  const Device& device() const { return *device_; }
  DevicePointer at() const { return values_; }

  void read(std::span<float> values) const override;
  void write(std::span<const float> values) override;

 private:
  const DeviceRef device_;
  const Stream stream_;
  const DevicePointer values_;
  const std::int64_t bytes_;
};

}  // namespace cavs::cuda
