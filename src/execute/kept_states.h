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
  std::int32_t type = -1;           // type of the program, or -1: none
  std::vector<float*> states = {};  // by state of the program: row 0, or nullptr: in the run's own memory

  KeptRows rows() const {
    KeptRows kept{type, {}};
    for (const float* const rows : states) kept.states.push_back(rows != nullptr);
    return kept;
  }
};

/// Memory for floats on an engine's device, which outlives the runs that read and write it.
class StateMemory {
 public:
  virtual ~StateMemory() = default;

  /// Moves floats [from, from + count) of the old memory to [to, to + count) of the new one.
  struct Move {
    std::int64_t from = 0, to = 0, count = 0;
  };
  /// Replaces the memory by `floats` floats. Those that no move writes have undefined values.
  virtual void resize(std::int64_t floats, std::span<const Move> moves) = 0;
  /// Address of the first float, for the engine. Valid until resize().
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
  float* rows = nullptr;  // row 0 of the kept rows
};

}  // namespace cavs::inline v0_1
