#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cavs/shape.h"
#include "execute/kept_states.h"

namespace cavs::inline v0_1 {

/// A state that new vertices gather.
struct KeptState {
  std::string name;
  Shape shape;

  std::int32_t width() const { return static_cast<std::int32_t>(shape.size()); }
};

/// The states of evaluated vertices, in the engine's memory. A slot holds those of one vertex: one row per state. For
/// each state, the rows of all slots directly follow rows for the vertices that are being evaluated. The lowest free
/// slot is reused first, and free slots at the end are dropped, so a loop over all slots visits few free slots.
class StatePool {
 public:
  StatePool(std::vector<KeptState> states, std::unique_ptr<StateMemory> memory)
      : states_(std::move(states)), memory_(std::move(memory)) {}

  const std::vector<KeptState>& states() const { return states_; }
  /// Number of slots, including free slots.
  std::int32_t slots() const { return slots_; }
  /// Makes room for rows of `count` new vertices. That many slots can then be taken without reallocation.
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

  /// False if set_finite() has reported numbers in the slot that are not finite.
  bool is_finite(std::int32_t slot) const { return finite_[slot] != 0; }
  void set_finite(std::int32_t slot, bool finite) { finite_[slot] = finite ? 1 : 0; }
  /// The address of a state's rows for `count` new vertices, then all slots. Valid until the next take() or reserve().
  float* rows(std::int32_t count, std::size_t state) {
    return memory_->begin() + begin(state, room_ + capacity_) + (room_ - count) * width(state);
  }

 private:
  std::int64_t width(std::size_t state) const { return states_[state].width(); }
  std::int64_t begin(std::size_t state, std::int64_t rows) const;
  void resize(std::int32_t room, std::int32_t capacity);

  std::vector<KeptState> states_;
  std::unique_ptr<StateMemory> memory_;  // [states][room + capacity][width]
  std::vector<char> finite_, used_;      // [capacity]: 1 if is_finite(), and 1 if the slot is taken; else 0
  std::vector<std::int32_t> free_;       // a heap of free slots, lowest on top; may also have taken or dropped slots
  std::int32_t room_ = 0, capacity_ = 0, slots_ = 0;  // rows for new vertices; rows for slots; slots()
  std::int32_t unused_ = 0;                           // number of free slots below slots_
};

}  // namespace cavs::inline v0_1
