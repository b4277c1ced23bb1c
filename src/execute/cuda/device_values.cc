#include "execute/cuda/device_values.h"

#include <algorithm>

#include "support/check.h"

namespace cavs::cuda {
namespace {

constexpr std::int64_t kFloat = sizeof(float);

}  // namespace

BaseOf DeviceValues::base(const PreparedBatch& batch) const {
  return [this, &batch](std::int32_t type, const Operand& o) -> const float* {
    const Plan& plan = batch.plan;
    switch (o.kind) {
      case StorageKind::kTensor: {
        const DomainId domain = program_.types[type].tensors[o.id].domain;
        return read(plan, plan.types[type].tensors[o.id], std::int64_t{plan.types[type].row_count(domain)} * o.stride) +
               o.column;
      }
      case StorageKind::kState: {
        const std::int64_t before = std::int64_t{plan.type_begin[type] - plan.state_rows[o.id].begin} * o.stride;
        return read(plan, plan.states[o.id], std::int64_t{plan.state_rows[o.id].count} * o.stride) + before + o.column;
      }
      case StorageKind::kParameter:
        return parameters_.values(o.id).data() + o.column;
      case StorageKind::kPull:
        return batch.float_port(o.id) + o.column;
      default:
        throw InternalError("a value is asked for that a run on a GPU does not keep; please report this");
    }
  };
}

const float* DeviceValues::read(const Plan& plan, std::int64_t begin, std::int64_t floats) const {
  if (plan.arena > values_size_) {
    values_ = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(plan.arena));
    values_size_ = plan.arena;
    read_.clear();
  }
  if (std::ranges::find(read_, begin) == read_.end()) {
    stream_.download(values_.get() + begin, arena_.at(begin * kFloat), floats * kFloat);
    stream_.synchronise();
    read_.push_back(begin);
  }
  return values_.get() + begin;
}

}  // namespace cavs::cuda
