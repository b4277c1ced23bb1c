#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend/cuda/device.h"

namespace cavs::cuda {

/// Pinned host memory from which the GPU copies. Each copy in progress has its own piece, so the host never waits. Not
/// thread-safe.
class Staging {
 public:
  explicit Staging(DeviceRef device) : device_(std::move(device)) {}

  struct Piece {
    explicit Piece(const DeviceRef& device) : memory(device), copied(device) {}
    PinnedMemory memory;
    Event copied;  // record it after the last copy from the piece
  };
  /// Returns a piece of at least this size from which no copy is reading.
  Piece& take(std::int64_t bytes) {
    for (const auto& piece : pieces_)
      if (piece->memory.bytes() >= bytes && piece->copied.is_done()) return *piece;
    Piece& made = *pieces_.emplace_back(std::make_unique<Piece>(device_));
    made.memory.reserve(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes))));
    return made;
  }

 private:
  const DeviceRef device_;
  std::vector<std::unique_ptr<Piece>> pieces_;
};

}  // namespace cavs::cuda
