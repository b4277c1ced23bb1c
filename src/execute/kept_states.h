#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pack/minibatch.h"

namespace cavs::inline v0_1 {

/// States of all vertices of one type that an earlier run computed and the caller keeps, so that the type's function is
/// not evaluated. Each buffer has one row per vertex of the minibatch (Schedule::row): rows of this type are read, rows
/// of other types are written. The buffers are StateMemory of the engine and must outlive the run. An engine that
/// cannot use kept states in place evaluates the function, which must compute the same states.
struct KeptStates {
  std::int32_t type = -1;           // number of the type in the program, or -1 if no states are kept
  std::vector<float*> states = {};  // [states] address of row 0, or nullptr if the run has the memory

  KeptRows rows() const {
    KeptRows kept{type, {}};
    for (const float* const rows : states) kept.states.push_back(rows != nullptr);
    return kept;
  }
};

/// Memory for floats on an engine's device that outlives the runs that use it.
class StateMemory {
 public:
  virtual ~StateMemory() = default;

  /// A move of floats [from, from + count) of the old memory to [to, to + count) of the new one.
  struct Move {
    std::int64_t from = 0, to = 0, count = 0;
  };
  /// Changes the size to `floats` floats and does the moves. Floats to which nothing is moved have undefined values.
  virtual void resize(std::int64_t floats, std::span<const Move> moves) = 0;
  /// Returns the engine's address of the first float. Valid until resize().
  virtual float* begin() = 0;
};

class HostStateMemory final : public StateMemory {
 public:
  void resize(std::int64_t floats, std::span<const Move> moves) override;
  float* begin() override { return values_.data(); }

 private:
  std::vector<float> values_;
};

/// A push port whose rows are copied to a StateMemory and kept.
struct KeptPort {
  std::string port;
  std::int32_t width = 0;
  float* rows = nullptr;  // row 0 in the StateMemory
};

}  // namespace cavs::inline v0_1
