#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan.h"
#include "support/split_range.h"

namespace cavs::inline v0_1 {

/// The memory that holds the rows of an operand.
enum class Buffer : std::uint8_t {
  kArena,         // Plan::arena
  kKeptState,     // rows of a state in the caller's memory
  kParameter,     // values of parameters
  kGradient,      // gradient of a parameter
  kSquares,       // sum of squares of a parameter's gradient
  kLoss,          // the sum of all losses
  kPull,          // float port of the data
  kLossGradient,  // the number 1 / samples
  kTile,          // tile of one processor
};

/// Rows that an instruction reads or writes, as offsets without addresses. A script can therefore lie anywhere.
struct ScriptOperand {
  Buffer buffer = Buffer::kArena;
  bool writes = false;
  bool all = false;         // the whole buffer, whatever the entry's rows
  bool is_factor = false;   // products read it (arena only)
  std::int32_t id = 0;      // number of the state, parameter or port
  std::int64_t offset = 0;  // floats before row 0, which itself may lie outside the buffer
  std::int32_t stride = 0;  // floats from row to row; 0 if there is one row for all
  std::int32_t width = 0;
  std::int32_t list = -1;       // position in Plan::rows of the list of row numbers (-1: no row), by row of the entry
  std::int32_t segments = -1;   // position in Plan::rows: entry row r means list rows [segments[r], segments[r + 1])
  std::int32_t gate = 0;        // if columns are shared: column c belongs to unit first_unit + c % gate / unit;
  std::int32_t first_unit = 0;  //   0 means that every processor takes all columns
  bool operator==(const ScriptOperand&) const = default;
};

/// Kind of work of an entry.
enum class Work : std::uint8_t {
  kInstruction,  // an instruction of a step
  kLoss,         // sums the losses, after adding each processor's part of gradients that are left to the update
  kSquares,      // sums the squares of a parameter's gradient
  kScale,        // computes the factor for gradients, or decides that there is no update
  kUpdate,       // updates a parameter
};

/// How processors share an entry.
enum class Share : std::uint8_t {
  kOne,         // one processor does everything
  kColumns,     // by units of columns
  kRows,        // by rows; edges belong to their vertices
  kOutput,      // by output, in a way that the executor chooses; one processor makes each sum
  kCollective,  // all processors meet, work in a way that the executor chooses, and meet again
};

/// The rows or units of columns of one processor.
struct Part {
  std::int32_t processor = 0, begin = 0, end = 0;
  bool operator==(const Part&) const = default;
};

/// One instruction: the only one of an entry, or a member of a group.
struct ScriptMember {
  bool by_edge = false;  // its rows are the edges of the entry's vertices
  Slice operands;
  bool operator==(const ScriptMember&) const = default;
};

/// Waits until this processor, or every processor, has done this entry.
struct Wait {
  static constexpr std::int32_t kAll = -1;
  std::int32_t processor = kAll, entry = 0;
  bool operator==(const Wait&) const = default;
};

/// An instruction on the rows of a step, or a piece of the update, with each processor's share. A processor goes
/// through the entries in order, without Share::kOne entries of others. It waits, does its parts, and signals.
struct ScriptEntry {
  Work work = Work::kInstruction;
  Share share = Share::kOne;
  std::int32_t step = -1, instruction = -1;  // index in Plan::steps, and in the code of the step
  std::int32_t parameter = -1;               // of the update
  RowRange rows{};                           // in the instruction's domain
  std::int32_t processor = 0;                // for kOne
  bool adds = false;                         // adds to the gradient that earlier entries have summed
  bool signals = false;                      // some processor waits for it
  Slice waits, parts, members;
  bool operator==(const ScriptEntry&) const = default;

  /// True if the entry is an instruction of a step.
  bool is_of_step() const { return step >= 0; }
  bool is_of(std::int32_t p) const { return share != Share::kOne || processor == p; }
};

/// The work of persistent processors for a minibatch (VPPS, section III-B): forward, backward and update, as flat
/// arrays without addresses. All processors share one script, since each owns a slice of every weight. So its size
/// grows with the steps of the plan, not with the vertices.
struct Script {
  std::int32_t processors = 1;
  std::int32_t unit = 16;     // columns per unit
  std::int32_t backward = 0;  // first entry of ∂F
  std::int32_t update = 0;    // first entry of the update, before which all processors meet; none without ∂F
  std::vector<ScriptEntry> entries;
  std::vector<Wait> waits;
  std::vector<Part> parts;
  std::vector<ScriptMember> members;
  std::vector<ScriptOperand> operands;
  std::vector<double> load;  // [processors] floating-point operations
  bool operator==(const Script&) const = default;
};

/// The part of an array of a script.
template <typename T>
std::span<const T> part_of(const std::vector<T>& all, Slice slice) {
  return std::span(all).subspan(static_cast<std::size_t>(slice.begin), static_cast<std::size_t>(slice.count));
}

}  // namespace cavs::inline v0_1
