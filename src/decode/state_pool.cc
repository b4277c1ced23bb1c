#include "decode/state_pool.h"

#include <utility>

namespace cavs {

StatePool::StatePool(std::vector<GivenState> states) : states_(std::move(states)), begin_{0} {
  for (const GivenState& state : states_) begin_.push_back(begin_.back() + state.width());
}

std::int32_t StatePool::take() {
  if (!free_.empty()) {
    const std::int32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  values_.resize(values_.size() + static_cast<std::size_t>(begin_.back()));
  return slots_++;
}

void StatePool::clear() { values_.clear(), free_.clear(), slots_ = 0; }

std::span<float> StatePool::at(std::int32_t slot, std::size_t state) {
  const std::int64_t first = slot * begin_.back() + begin_[state];
  return std::span(values_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(states_[state].width()));
}

}  // namespace cavs
