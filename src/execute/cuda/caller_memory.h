#pragma once

#include <cstdint>
#include <span>

#include "backend/cuda/device.h"
#include "tensor/array.h"

namespace cavs::cuda {

/// Floats of the caller's in a GPU's memory, as a parameter's values: the caller keeps them alive, and waits for its
/// own work with them before it calls something that reads or writes them. All copies here are done on return.
class CallerMemory final : public detail::Array::Home {
 public:
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
