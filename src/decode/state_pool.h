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

/// The states of evaluated vertices, a slot each, and before them room for those that are being evaluated: so one
/// address per state reaches both. They lie in memory of the engine that evaluates. Slots that are freed are used
/// again, the first ones first, and free ones behind the last that is in use are given up: who goes over all slots pays
/// for few that are free.
class StatePool {
 public:
  StatePool(std::vector<KeptState> states, std::unique_ptr<StateMemory> memory)
      : states_(std::move(states)), memory_(std::move(memory)) {}

  const std::vector<KeptState>& states() const { return states_; }
  /// Slots that there are, those that are free included.
  std::int32_t slots() const { return slots_; }
  /// Room for the states of `count` new vertices; so many slots can then be taken without moving anything.
  void reserve(std::int32_t count);
  /// A slot whose states the caller writes next.
  std::int32_t take();
  /// Cost: logarithmic in the slots, as that of take().
  void free(std::int32_t slot);
  /// Frees all slots, and what a caller that gave up has left in use.
  void clear() { free_.clear(), slots_ = unused_ = 0; }

  /// True if the slot holds only finite numbers, as it does unless the caller says otherwise.
  bool is_finite(std::int32_t slot) const { return finite_[slot] != 0; }
  void set_finite(std::int32_t slot, bool finite) { finite_[slot] = finite ? 1 : 0; }
  /// Where the engine finds `count` rows for new vertices, and the slots behind them. Valid until the next take() or
  /// reserve().
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
  std::vector<std::int32_t> free_;       // a heap, the first slot on top; some may be in use or given up by now
  std::int32_t room_ = 0, capacity_ = 0, slots_ = 0;
  std::int32_t unused_ = 0;  // of the slots
};

}  // namespace cavs::inline v0_1
