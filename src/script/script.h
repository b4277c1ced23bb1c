#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan.h"
#include "support/split_range.h"

namespace cavs::inline v0_1 {

/// What memory the rows of an operand lie in.
enum class Buffer : std::uint8_t {
  kArena,         // Plan::arena
  kKeptState,     // rows of a state that the caller gave
  kParameter,     // values
  kGradient,      // of a parameter
  kSquares,       // of a parameter's gradient, summed
  kLoss,          // the sum of all losses
  kPull,          // a float port of the data
  kLossGradient,  // the number 1 / samples
  kTile,          // of one processor
};

/// Rows that an instruction reads or writes: offsets, no addresses, so that a script can lie anywhere.
struct ScriptOperand {
  Buffer buffer = Buffer::kArena;
  bool writes = false;
  bool all = false;         // the whole buffer, whatever the rows of the entry
  bool is_factor = false;   // of the arena: products read it
  std::int32_t id = 0;      // state, parameter or port
  std::int64_t offset = 0;  // floats before row 0, which itself may lie outside
  std::int32_t stride = 0;  // floats from row to row; 0: one row for all
  std::int32_t width = 0;
  std::int32_t list = -1;       // in Plan::rows: by row, the row that is meant, -1 none
  std::int32_t segments = -1;   // in Plan::rows: row r stands for rows [segments[r], segments[r + 1]) of the list
  std::int32_t gate = 0;        // where columns are shared: column c belongs to unit first_unit + c % gate / unit;
  std::int32_t first_unit = 0;  //   0: every processor takes all columns
  bool operator==(const ScriptOperand&) const = default;
};

/// What an entry does.
enum class Work : std::uint8_t {
  kInstruction,  // of a step
  kLoss,         // sums the losses, after what each processor has found of gradients that are left to the update
  kSquares,      // sums the squares of a parameter's gradient
  kScale,        // tells each processor what gradients are scaled by, or that there is no update
  kUpdate,       // of a parameter
};

/// How processors share an entry.
enum class Share : std::uint8_t {
  kOne,       // one does all
  kColumns,   // by units of columns
  kRows,      // by rows; edges go with their vertices
  kOutput,    // by what is written, in a way that the executor chooses; a sum is one processor's
  kTogether,  // all meet, do it in a way that the executor chooses, and meet again
};

/// Rows or units of columns of one processor.
struct Part {
  std::int32_t processor = 0, begin = 0, end = 0;
  bool operator==(const Part&) const = default;
};

/// An instruction of a group, or the only one.
struct ScriptMember {
  bool by_edge = false;  // its rows are the edges of the entry's vertices
  Slice operands;
  bool operator==(const ScriptMember&) const = default;
};

/// Until this processor, or every one, has done this entry.
struct Wait {
  static constexpr std::int32_t kAll = -1;
  std::int32_t processor = kAll, entry = 0;
  bool operator==(const Wait&) const = default;
};

/// An instruction on the rows of a step, or a piece of the update, and who does what of it. Each processor takes the
/// entries in order, those of Share::kOne that are not its own left out: it waits, does its parts, and signals.
struct ScriptEntry {
  Work work = Work::kInstruction;
  Share share = Share::kOne;
  std::int32_t step = -1, instruction = -1;  // Plan::steps, and of the step's code
  std::int32_t parameter = -1;               // of the update
  RowRange rows{};                           // of the instruction's domain
  std::int32_t processor = 0;                // of kOne
  bool adds = false;                         // to the gradient that earlier entries have summed
  bool signals = false;                      // some processor waits for it
  Slice waits, parts, members;
  bool operator==(const ScriptEntry&) const = default;

  /// Whether it is an instruction of a step.
  bool is_of_step() const { return step >= 0; }
  bool is_of(std::int32_t p) const { return share != Share::kOne || processor == p; }
};

/// What persistent processors do with a minibatch (VPPS, section III-B), forward, backward and update: flat arrays
/// without addresses. One serves all processors, as each owns a slice of every weight; so it grows with the steps of
/// the plan, not with the vertices.
struct Script {
  std::int32_t processors = 1;
  std::int32_t unit = 16;     // columns of a unit
  std::int32_t backward = 0;  // first entry of ∂F
  std::int32_t update = 0;    // first entry of the update, before which all meet; none without ∂F
  std::vector<ScriptEntry> entries;
  std::vector<Wait> waits;
  std::vector<Part> parts;
  std::vector<ScriptMember> members;
  std::vector<ScriptOperand> operands;
  std::vector<double> load;  // [processors] floating-point operations
  bool operator==(const Script&) const = default;
};

/// The part of one of a script's arrays.
template <typename T>
std::span<const T> part_of(const std::vector<T>& all, Slice slice) {
  return std::span(all).subspan(static_cast<std::size_t>(slice.begin), static_cast<std::size_t>(slice.count));
}

}  // namespace cavs::inline v0_1
