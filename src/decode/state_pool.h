#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cavs/shape.h"

namespace cavs {

/// A state that vertices gather.
struct GivenState {
  std::string name;
  Shape shape;

  std::int32_t width() const { return static_cast<std::int32_t>(shape.size()); }
};

/// The states of evaluated vertices, side by side in one slot each. Slots that are freed are used again.
class StatePool {
 public:
  explicit StatePool(std::vector<GivenState> states);

  const std::vector<GivenState>& states() const { return states_; }
  /// Slots that there are, those that are free included.
  std::int32_t slots() const { return slots_; }
  std::int32_t take();
  void free(std::int32_t slot) { free_.push_back(slot); }
  /// Frees all slots, and what a caller that gave up has left in use.
  void clear();
  /// Room for state number `state` of a slot; valid until the next take().
  std::span<float> at(std::int32_t slot, std::size_t state);

 private:
  std::vector<GivenState> states_;
  std::vector<std::int64_t> begin_;  // of each state in a slot, and the width of a slot
  std::vector<float> values_;
  std::vector<std::int32_t> free_;
  std::int32_t slots_ = 0;
};

}  // namespace cavs
