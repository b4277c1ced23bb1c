#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "backend/cuda/device.h"

namespace cavs::cuda {

/// Pool of device memory for the values of runs. A run takes a piece of memory before its first launch, and gives it
/// back later. A minibatch that is only prepared has none.
class ArenaPool {
 public:
  /// Returns the number of bytes of the memory that take() returns next.
  std::int64_t bytes() const { return free_.empty() ? 0 : free_.back()->bytes(); }
  /// Takes the largest free piece of memory; nullptr if there is none.
  std::unique_ptr<DeviceMemory> take() {
    if (free_.empty()) return nullptr;
    std::unique_ptr<DeviceMemory> taken = std::move(free_.back());
    free_.pop_back();
    return taken;
  }
  void give_back(std::unique_ptr<DeviceMemory> memory) {
    const auto at = std::ranges::upper_bound(free_, memory->bytes(), {}, [](const auto& m) { return m->bytes(); });
    free_.insert(at, std::move(memory));
  }

 private:
  std::vector<std::unique_ptr<DeviceMemory>> free_;  // ascending by size
};

}  // namespace cavs::cuda
