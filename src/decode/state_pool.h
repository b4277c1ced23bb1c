#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cavs/shape.h"
#include "execute/kept_states.h"

namespace cavs::inline v0_1 {

/// A state that vertices gather.
struct KeptState {
  std::string name;
  Shape shape;

  std::int32_t width() const { return static_cast<std::int32_t>(shape.size()); }
};

/// The states of evaluated vertices, one slot per vertex, in the engine's memory. In each state, the rows of the
/// vertices that are being evaluated precede the slots, so one address reaches both. The first free slot is reused
/// first, and free slots after the last used slot are dropped, so a loop over all slots visits few free slots.
class StatePool {
 public:
  StatePool(std::vector<KeptState> states, std::unique_ptr<StateMemory> memory)
      : states_(std::move(states)), memory_(std::move(memory)) {}

  const std::vector<KeptState>& states() const { return states_; }
  /// Number of slots, including free slots.
  std::int32_t slots() const { return slots_; }
  /// Reserves rows for `count` new vertices. That many slots can then be taken without reallocation.
  void reserve(std::int32_t count);
  /// Takes a slot, whose states the caller must write.
  std::int32_t take();
  /// Frees a slot. Cost: logarithmic in the number of slots, like take().
  void free(std::int32_t slot);
  /// Frees all slots, including those left in use after an error.
  void clear() {
    free_.clear();
    slots_ = unused_ = 0;
  }

  /// True if the slot has only finite numbers; also true if set_finite() has not been called for the slot.
  bool is_finite(std::int32_t slot) const { return finite_[slot] != 0; }
  void set_finite(std::int32_t slot, bool finite) { finite_[slot] = finite ? 1 : 0; }
  /// The address of `count` rows for new vertices, followed by the slots. Valid until the next take() or reserve().
  float* rows(std::int32_t count, std::size_t state) {
    return memory_->begin() + begin(state, room_ + capacity_) + (room_ - count) * width(state);
  }

 private:
  std::int64_t width(std::size_t state) const { return states_[state].width(); }
  std::int64_t begin(std::size_t state, std::int64_t rows) const;
  void resize(std::int32_t room, std::int32_t capacity);

  std::vector<KeptState> states_;
  std::unique_ptr<StateMemory> memory_;  // [states][room + capacity][width]
  std::vector<char> finite_, used_;      // [capacity]
  std::vector<std::int32_t> free_;       // a heap, first slot on top; may also contain slots that are in use or dropped
  std::int32_t room_ = 0, capacity_ = 0, slots_ = 0;
  std::int32_t unused_ = 0;  // number of free slots
};

}  // namespace cavs::inline v0_1
