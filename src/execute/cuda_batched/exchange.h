#pragma once

#include <cstdint>

#include "backend/cuda/device.h"

namespace cavs::cuda {

/// Two buffers of the same size for the data of a launch, one on the host and one on the GPU.
class Exchange {
 public:
  explicit Exchange(const DeviceRef& device) : host_(device), device_(device) {}

  /// Makes the buffers large enough. No copy or launch may be using them.
  void reserve(std::int64_t bytes) {
    host_.reserve(bytes);
    device_.reserve(bytes);
  }
  template <typename T>
  T* on_host(std::int64_t byte) const {
    return reinterpret_cast<T*>(host_.as<char>() + byte);
  }
  template <typename T>
  T* on_device(std::int64_t byte) const {
    return reinterpret_cast<T*>(device_.at(byte));
  }
  /// Copies the first bytes to the GPU. These bytes must not change until the copy is complete.
  void upload(const Stream& stream, std::int64_t bytes) const { stream.upload(device_.at(), host_.as<char>(), bytes); }
  /// Copies bytes [begin, end) to the host, and waits for them.
  void download(const Stream& stream, std::int64_t begin, std::int64_t end) const {
    stream.download(on_host<char>(begin), device_.at(begin), end - begin);
    stream.synchronise();
  }

 private:
  PinnedMemory host_;
  DeviceMemory device_;
};

}  // namespace cavs::cuda
