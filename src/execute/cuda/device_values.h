#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/cuda/device.h"
#include "execute/cuda/arena_pool.h"
#include "execute/run_values.h"

namespace cavs::cuda {

/// The values of a run in a GPU's memory, as the plan lays them, and what of them is on the host: rows are
/// copied when somebody asks for them.
class DeviceValues {
 public:
  using Half = std::uint16_t;

  /// @param stream  of the kernels; outlives this, as parameters and pool do
  /// @param keeps_halves  the arena has room for all numbers in bf16, too, behind them
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
  /// Where the arena lies, which kernels will change.
  float* begin() {
    read_.clear();
    return take().as<float>();
  }
  /// Where the same numbers lie in bf16; nullptr: nowhere.
  Half* halves(const Plan& plan) const {
    return keeps_halves_ ? reinterpret_cast<Half*>(arena_->as<float>() + plan.arena) : nullptr;
  }
  /// Nobody asks for values any more.
  void release() {
    if (arena_ != nullptr) pool_.give_back(std::move(arena_));
  }

  /// Numbers of the arena from `first` on, before kernels read them. `rows` may change when it returns.
  void write(std::int64_t first, std::span<const float> rows);

  /// Where row 0 of a type's operand lies on the GPU: of a tensor, or a state that the caller does not keep.
  const float* address(const Plan& plan, std::int32_t type, const Operand& operand) const;
  /// Where an operand's rows lie on the host. The pointers are valid until begin().
  BaseOf base(const PreparedBatch& batch) const;

 private:
  DeviceMemory& take() {
    if (arena_ == nullptr) arena_ = pool_.take();
    if (arena_ == nullptr) arena_ = std::make_unique<DeviceMemory>(device_);
    return *arena_;
  }
  /// Floats [begin, end) of the arena. @return where float 0 is
  const float* read(const Plan& plan, std::int64_t begin, std::int64_t end) const;

  const DeviceRef device_;
  const Stream& stream_;
  const Parameters& parameters_;
  ArenaPool& pool_;
  const bool keeps_halves_;
  std::unique_ptr<DeviceMemory> arena_;      // from the pool
  mutable std::unique_ptr<float[]> values_;  // [values_size_] the arena as it is read back
  mutable std::int64_t values_size_ = 0;
  mutable std::vector<std::pair<std::int64_t, std::int64_t>> read_;  // [begin, end) of what was read back
};

}  // namespace cavs::cuda
