#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/cuda/device.h"
#include "execute/cuda/arena_pool.h"
#include "execute/run_values.h"

namespace cavs::cuda {

/// The values of a run in a GPU's memory, with the plan's layout. Rows are copied to the host when they are read.
class DeviceValues {
 public:
  using Half = std::uint16_t;

  /// @param stream  stream of the kernels. Stream, parameters and pool must outlive this object.
  /// @param keeps_halves  true if the arena is followed by memory for a bf16 copy of all its numbers
  DeviceValues(DeviceRef device, const Stream& stream, const Parameters& parameters, ArenaPool& pool, bool keeps_halves)
      : device_(std::move(device)),
        stream_(stream),
        parameters_(parameters),
        pool_(pool),
        keeps_halves_(keeps_halves) {}

  std::int64_t bytes(const Plan& plan) const {
    constexpr std::int64_t kFloat = sizeof(float), kHalf = sizeof(Half);
    return std::max<std::int64_t>(plan.arena, 1) * (keeps_halves_ ? kFloat + kHalf : kFloat);
  }
  std::int64_t held_bytes() const { return arena_ != nullptr ? arena_->bytes() : pool_.bytes(); }
  void reserve(const Plan& plan) { take().reserve(bytes(plan)); }
  /// Returns the address of the arena, to which kernels will write. Copies on the host become invalid.
  float* begin() {
    read_.clear();
    return take().as<float>();
  }
  /// Returns the address of the arena's bf16 copy; nullptr without bf16.
  Half* halves(const Plan& plan) const {
    return keeps_halves_ ? reinterpret_cast<Half*>(arena_->as<float>() + plan.arena) : nullptr;
  }
  /// Returns the memory to the pool. The values are lost.
  void release() {
    if (arena_ != nullptr) pool_.give_back(std::move(arena_));
  }

  /// Copies numbers to the arena, from `first` on, before kernels read them. `rows` may change after the call.
  void write(std::int64_t first, std::span<const float> rows);

  /// Returns the GPU address of row 0 of an operand: a tensor, or a state outside of the caller's memory.
  const float* address(const Plan& plan, std::int32_t type, const Operand& operand) const;
  /// Returns a function that finds rows of operands on the host. Its pointers are valid until begin().
  BaseOf base(const PreparedBatch& batch) const;

 private:
  DeviceMemory& take() {
    if (arena_ == nullptr) arena_ = pool_.take();
    if (arena_ == nullptr) arena_ = std::make_unique<DeviceMemory>(device_);
    return *arena_;
  }
  /// Copies floats [begin, end) of the arena to the host. @return the host address of float 0
  const float* read(const Plan& plan, std::int64_t begin, std::int64_t end) const;

  const DeviceRef device_;
  const Stream& stream_;
  const Parameters& parameters_;
  ArenaPool& pool_;
  const bool keeps_halves_;
  std::unique_ptr<DeviceMemory> arena_;      // from the pool; nullptr if none is taken
  mutable std::unique_ptr<float[]> values_;  // [values_size_] host copy of the arena, valid in the ranges read_
  mutable std::int64_t values_size_ = 0;
  mutable std::vector<std::pair<std::int64_t, std::int64_t>> read_;  // ranges [begin, end) of values_
};

}  // namespace cavs::cuda
