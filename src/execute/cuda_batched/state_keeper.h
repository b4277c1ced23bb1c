#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "backend/cuda/device.h"
#include "backend/cuda/entries/kernel_arguments.h"

namespace cavs::cuda {

/// Copies states to where they are kept by one launch; what it copies, and which states are finite, are all that goes
/// between host and GPU.
class StateKeeper {
 public:
  explicit StateKeeper(const DeviceRef& device) : staged_(device), sent_(device) {}

  /// @param widths  of the states   @return the rows to be set, [vertices, states], before run()
  std::span<RowCopy> begin(std::int64_t vertices, std::span<const std::int32_t> widths);
  /// @param launch  of kKeepStates   @return by vertex, whether all of its numbers are finite
  std::vector<char> run(const Stream& stream, const std::function<void(const StateCopies&)>& launch);

 private:
  PinnedMemory staged_;  // rows, widths of the states, by vertex whether it is finite
  DeviceMemory sent_;    // the same
  std::int64_t vertices_ = 0, states_ = 0;
};

}  // namespace cavs::cuda
