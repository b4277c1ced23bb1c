#pragma once

#include <cstdint>

#include "backend/cuda/device.h"

namespace cavs::cuda {

/// Bytes of the host for a launch, and the same bytes of the GPU.
class Exchange {
 public:
  explicit Exchange(const DeviceRef& device) : host_(device), device_(device) {}

  /// Nothing may be under way.
  void reserve(std::int64_t bytes) { host_.reserve(bytes), device_.reserve(bytes); }
  template <typename T>
  T* on_host(std::int64_t byte) const {
    return reinterpret_cast<T*>(host_.as<char>() + byte);
  }
  template <typename T>
  T* on_device(std::int64_t byte) const {
    return reinterpret_cast<T*>(device_.at(byte));
  }
  /// The first bytes, which stay as they are until they are there.
  void upload(const Stream& stream, std::int64_t bytes) const { stream.upload(device_.at(), host_.as<char>(), bytes); }
  /// Bytes [begin, end), which are there on return.
  void download(const Stream& stream, std::int64_t begin, std::int64_t end) const {
    stream.download(on_host<char>(begin), device_.at(begin), end - begin);
    stream.synchronise();
  }

 private:
  PinnedMemory host_;
  DeviceMemory device_;
};

}  // namespace cavs::cuda
