#include "decode/state_pool.h"

#include <algorithm>
#include <functional>

namespace cavs::inline v0_1 {

/// Returns the offset, in floats, of the rows of a state if each state has `rows` rows. Offsets are aligned to a GPU's
/// memory lines.
std::int64_t StatePool::begin(std::size_t state, std::int64_t rows) const {
  constexpr std::int64_t kLine = 64;
  std::int64_t floats = 0;
  for (std::size_t before = 0; before < state; ++before) floats += (rows * width(before) + kLine - 1) / kLine * kLine;
  return floats;
}

void StatePool::resize(std::int32_t room, std::int32_t capacity) {
  std::vector<StateMemory::Move> moves;
  for (std::size_t state = 0; state < states_.size(); ++state)
    moves.push_back({begin(state, room_ + capacity_) + room_ * width(state),
                     begin(state, room + capacity) + room * width(state), slots_ * width(state)});
  memory_->resize(begin(states_.size(), room + capacity), moves);
  finite_.resize(static_cast<std::size_t>(capacity));
  used_.resize(static_cast<std::size_t>(capacity));
  room_ = room;
  capacity_ = capacity;
}

void StatePool::reserve(std::int32_t count) {
  const std::int32_t needed = slots_ + std::max(0, count - unused_);
  if (count <= room_ && needed <= capacity_) return;
  const auto grown = [](std::int32_t now, std::int32_t wanted) {
    return wanted <= now ? now : std::max(wanted, 2 * now);
  };
  resize(grown(room_, count), grown(capacity_, needed));
}

std::int32_t StatePool::take() {
  std::int32_t slot = slots_;
  while (!free_.empty() && slot == slots_) {
    std::ranges::pop_heap(free_, std::greater());
    if (free_.back() < slots_ && used_[free_.back()] == 0) {
      slot = free_.back();
      --unused_;
    }
    free_.pop_back();
  }
  if (slot == slots_) {
    if (slots_ == capacity_) resize(room_, std::max(16, 2 * capacity_));
    ++slots_;
  }
  finite_[slot] = used_[slot] = 1;
  return slot;
}

void StatePool::free(std::int32_t slot) {
  used_[slot] = 0;
  ++unused_;
  free_.push_back(slot);
  std::ranges::push_heap(free_, std::greater());
  for (; slots_ > 0 && used_[slots_ - 1] == 0; --slots_) --unused_;
}

}  // namespace cavs::inline v0_1
