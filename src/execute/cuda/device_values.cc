#include "execute/cuda/device_values.h"

#include <algorithm>

#include "support/check.h"

namespace cavs::cuda {
namespace {

constexpr std::int64_t kFloat = sizeof(float);

}  // namespace

void DeviceValues::write(std::int64_t first, std::span<const float> rows) {
  stream_.upload(arena_->at(first * kFloat), rows.data(), std::ssize(rows) * kFloat);
}

namespace {

/// Returns the offset in floats of row 0 in the arena. Row 0 itself may be outside of the arena.
std::int64_t offset_of(const Plan& plan, std::int32_t type, const Operand& o) {
  if (o.kind == StorageKind::kTensor) return plan.types[type].tensors[o.id] + o.column;
  CAVS_ASSERT(o.kind == StorageKind::kState && plan.states[o.id] != Plan::kKept);
  return plan.states[o.id] + std::int64_t{plan.type_begin[type] - plan.state_rows[o.id].begin} * o.stride + o.column;
}

}  // namespace

const float* DeviceValues::address(const Plan& plan, std::int32_t type, const Operand& o) const {
  return reinterpret_cast<const float*>(arena_->at(offset_of(plan, type, o) * kFloat));
}

BaseOf DeviceValues::base(const PreparedBatch& batch) const {
  return [this, &batch](std::int32_t type, const Operand& o, Slice rows) -> const float* {
    const Plan& plan = batch.plan;
    switch (o.kind) {
      case StorageKind::kTensor:
      case StorageKind::kState: {
        if (rows.count == 0) return nullptr;
        const std::int64_t row_0 = offset_of(plan, type, o), first = row_0 + std::int64_t{rows.begin} * o.stride;
        return read(plan, first, first + std::int64_t{rows.count - 1} * o.stride + o.width) + row_0;
      }
      case StorageKind::kParameter:
        return parameters_.values(o.id).data() + o.column;
      case StorageKind::kPull:
        return batch.float_port(o.id) + o.column;
      default:
        throw InternalError("a value was requested that a run on a GPU does not keep; please report this");
    }
  };
}

const float* DeviceValues::read(const Plan& plan, std::int64_t begin, std::int64_t end) const {
  if (plan.arena > values_size_) {
    values_ = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(plan.arena));
    values_size_ = plan.arena;
    read_.clear();
  }
  const auto has_all = [&](const auto& read) { return read.first <= begin && end <= read.second; };
  if (std::ranges::none_of(read_, has_all)) {
    stream_.download(values_.get() + begin, arena_->at(begin * kFloat), (end - begin) * kFloat);
    stream_.synchronise();
    read_.emplace_back(begin, end);
  }
  return values_.get();
}

}  // namespace cavs::cuda
