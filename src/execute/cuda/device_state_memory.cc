#include "execute/cuda/device_state_memory.h"

namespace cavs::cuda {

void DeviceStateMemory::resize(std::int64_t floats, std::span<const Move> moves) {
  constexpr std::int64_t kFloat = sizeof(float);
  auto memory = std::make_unique<DeviceMemory>(device_);
  memory->reserve(floats * kFloat);
  for (const Move& move : moves)
    stream_.copy(memory->at(move.to * kFloat), memory_->at(move.from * kFloat), move.count * kFloat);
  stream_.synchronise();
  memory_ = std::move(memory);
}

}  // namespace cavs::cuda
