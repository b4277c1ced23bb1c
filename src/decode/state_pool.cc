#include "decode/state_pool.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace cavs::inline v0_1 {
namespace {

/// Without a branch a number, so that it is vectorised.
bool all_finite(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7F800000;
  std::uint32_t bad = 0;
  for (const float x : values) bad |= (std::bit_cast<std::uint32_t>(x) & kExponent) == kExponent ? 1U : 0U;
  return bad == 0;
}

}  // namespace

void StatePool::resize(std::int32_t room, std::int32_t capacity) {
  for (std::size_t state = 0; state < states_.size(); ++state) {
    std::vector<float> larger(static_cast<std::size_t>((std::int64_t{room} + capacity) * width(state)));
    const float* const first = rows(0, state);
    std::copy(first, first + slots_ * width(state), larger.begin() + room * width(state));
    values_[state] = std::move(larger);
  }
  finite_.resize(static_cast<std::size_t>(capacity)), used_.resize(static_cast<std::size_t>(capacity));
  room_ = room, capacity_ = capacity;
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
    if (free_.back() < slots_ && used_[free_.back()] == 0) slot = free_.back(), --unused_;
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
  used_[slot] = 0, ++unused_;
  free_.push_back(slot);
  std::ranges::push_heap(free_, std::greater());
  for (; slots_ > 0 && used_[slots_ - 1] == 0; --slots_) --unused_;
}

void StatePool::set(std::int32_t slot, std::size_t state, const float* values) {
  const std::span to(rows(0, state) + slot * width(state), static_cast<std::size_t>(width(state)));
  if (values == nullptr)
    std::ranges::fill(to, 0.0F);
  else
    std::copy_n(values, to.size(), to.begin());
  if (!all_finite(to)) finite_[slot] = 0;
}

}  // namespace cavs::inline v0_1
