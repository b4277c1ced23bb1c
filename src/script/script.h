#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan.h"
#include "support/split_range.h"

namespace cavs::inline v0_1 {

/// The memory that contains an operand.
enum class Buffer : std::uint8_t {
  kArena,         // Plan::arena
  kKeptState,     // rows of a state in the caller's memory
  kParameter,     // values of parameters
  kGradient,      // gradient of a parameter
  kSquares,       // sum of squares of a parameter's gradient
  kLoss,          // the sum of all losses
  kPull,          // float port of the data
  kLossGradient,  // the number 1 / samples
  kTile,          // a buffer of a few rows of one processor
};

/// Rows that an instruction reads or writes, as offsets without addresses, so that a script does not depend on them.
struct ScriptOperand {
  Buffer buffer = Buffer::kArena;
  bool writes = false;
  bool all = false;         // true for the whole buffer, whatever the entry's rows are
  bool is_factor = false;   // true if products read it (arena only)
  std::int32_t id = 0;      // number of the state, parameter or port
  std::int64_t offset = 0;  // floats from the buffer's beginning to row 0, which itself may be outside of the buffer
  std::int32_t stride = 0;  // floats from row to row; 0 if there is one row for all
  std::int32_t width = 0;
  std::int32_t list = -1;       // position in Plan::rows of a row number (-1: no row) per entry row; -1: no list
  std::int32_t segments = -1;   // position in Plan::rows: entry row r has list rows [segments[r], segments[r + 1])
  std::int32_t gate = 0;        // if columns are shared, column c is of unit first_unit + c % gate / unit;
  std::int32_t first_unit = 0;  // if gate is 0, every processor accesses all columns
  bool operator==(const ScriptOperand&) const = default;
};

/// Kind of work of an entry.
enum class Work : std::uint8_t {
  kInstruction,  // an instruction of a step
  kLoss,         // adds the processors' parts of gradients that are left to the update, then sums the losses
  kSquares,      // sums the squares of a parameter's gradient
  kScale,        // computes the factor that scales gradients, or decides that there is no update
  kUpdate,       // updates a parameter
};

/// How processors share an entry.
enum class Share : std::uint8_t {
  kOne,         // one processor does all work
  kColumns,     // each processor has units of columns
  kRows,        // each processor has rows, and the edges of its vertices
  kOutput,      // each processor computes outputs that the executor assigns to it; one processor computes each sum
  kCollective,  // all processors meet, do work that the executor assigns to them, and meet again
};

/// The rows, or the units of columns, of one processor.
struct Part {
  std::int32_t processor = 0, begin = 0, end = 0;
  bool operator==(const Part&) const = default;
};

/// An instruction of an entry: the only one, or a member of a group.
struct ScriptMember {
  bool by_edge = false;  // its rows are the edges of the entry's vertices
  Slice operands;
  bool operator==(const ScriptMember&) const = default;
};

/// A wait until the processor, or every processor, has done the entry.
struct Wait {
  static constexpr std::int32_t kAll = -1;
  std::int32_t processor = kAll, entry = 0;
  bool operator==(const Wait&) const = default;
};

/// An instruction on the rows of a step, or a part of the update, with each processor's share. A processor goes through
/// the entries in order, and skips Share::kOne entries of other processors. For each it waits, does its share, and
/// signals.
struct ScriptEntry {
  Work work = Work::kInstruction;
  Share share = Share::kOne;
  std::int32_t step = -1, instruction = -1;  // index in Plan::steps, and in the code of the step; -1 in the update
  std::int32_t parameter = -1;               // parameter of an entry of the update; -1 if there is none
  RowRange rows{};                           // in the instruction's domain
  std::int32_t processor = 0;                // the processor for kOne
  bool adds = false;                         // true if it adds to a gradient that an earlier entry has written
  bool signals = false;                      // true if a processor waits for this entry
  Slice waits, parts, members;
  bool operator==(const ScriptEntry&) const = default;

  /// True if the entry is an instruction of a step, and not of the update.
  bool is_of_step() const { return step >= 0; }
  bool is_of(std::int32_t p) const { return share != Share::kOne || processor == p; }
};

/// The work of a GPU's processors for a minibatch (VPPS, section III-B): forward, backward and update, as flat arrays
/// without addresses. All processors follow one script, since each owns a slice of every weight. So the script's size
/// grows with the plan's steps, not with its vertices.
struct Script {
  std::int32_t processors = 1;
  std::int32_t unit = 16;     // columns per unit
  std::int32_t backward = 0;  // first entry of ∂F
  std::int32_t update = 0;    // first entry of the update, before which all processors meet; no update without ∂F
  std::vector<ScriptEntry> entries;
  std::vector<Wait> waits;
  std::vector<Part> parts;
  std::vector<ScriptMember> members;
  std::vector<ScriptOperand> operands;
  std::vector<double> load;  // [processors] floating-point operations per processor
  bool operator==(const Script&) const = default;
};

/// Returns the elements of an array of a script that belong to the slice.
template <typename T>
std::span<const T> part_of(const std::vector<T>& all, Slice slice) {
  return std::span(all).subspan(static_cast<std::size_t>(slice.begin), static_cast<std::size_t>(slice.count));
}

}  // namespace cavs::inline v0_1
