#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pack/minibatch.h"

namespace cavs::inline v0_1 {

/// States of the vertices of one type that an earlier run computed: the caller keeps them, and the type's function is
/// not evaluated. Each buffer has one row per vertex of the minibatch (Schedule::row): rows of this type are read, rows
/// of other types are written. The buffers are StateMemory of the engine and must outlive the run. An engine that does
/// not read kept states in place evaluates the function, which must compute the same states.
struct KeptStates {
  std::int32_t type = -1;           // of the program; -1: none
  std::vector<float*> states = {};  // [states of the program] row 0; nullptr: the run's own memory

  KeptRows rows() const {
    KeptRows kept{type, {}};
    for (const float* const rows : states) kept.states.push_back(rows != nullptr);
    return kept;
  }
};

/// Floats that outlive the runs which read and write them, in the memory of an engine's device.
class StateMemory {
 public:
  virtual ~StateMemory() = default;

  /// Floats [from, from + count) of the memory before, which become those from `to` on.
  struct Move {
    std::int64_t from = 0, to = 0, count = 0;
  };
  /// Replaces the memory by one of so many floats. Those that are not moved there have any value.
  virtual void resize(std::int64_t floats, std::span<const Move> moves) = 0;
  /// Where the engine finds the first one. Valid until resize().
  virtual float* begin() = 0;
};

class HostStateMemory final : public StateMemory {
 public:
  void resize(std::int64_t floats, std::span<const Move> moves) override;
  float* begin() override { return values_.data(); }

 private:
  std::vector<float> values_;
};

/// A push port whose rows are kept in a StateMemory.
struct KeptPort {
  std::string port;
  std::int32_t width = 0;
  float* rows = nullptr;  // row 0 of where they are kept
};

}  // namespace cavs::inline v0_1
