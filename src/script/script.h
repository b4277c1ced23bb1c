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
  kPull,          // rows of a float port of the data set
  kLossGradient,  // the number 1 / samples
  kTile,          // a buffer of a few rows of one processor
};

/// Rows that an instruction reads or writes, as offsets without addresses, so that a script does not depend on them.
struct ScriptOperand {
  Buffer buffer = Buffer::kArena;
  bool writes = false;
  bool all = false;         // true for the whole buffer, whatever the entry's rows are
  bool is_factor = false;   // true if products read the rows; only in the arena
  std::int32_t id = 0;      // number of the tensor, state, parameter or float port
  std::int64_t offset = 0;  // floats from the buffer's beginning to row 0, which itself may be outside of the buffer
  std::int32_t stride = 0;  // floats from row to row; 0 if row 0 is used for all rows
  std::int32_t width = 0;   // number of columns
  std::int32_t list = -1;   // position in Plan::rows: entry row r uses row list[r], or none if that is -1; -1: no list
  std::int32_t segments = -1;   // position in Plan::rows: r becomes all of [segments[r], segments[r + 1]); -1: only r
  std::int32_t gate = 0;        // columns per gate; 0 if every processor accesses all columns
  std::int32_t first_unit = 0;  // column c is of unit first_unit + c % gate / Script::unit
  bool operator==(const ScriptOperand&) const = default;
};

/// Kind of work of an entry.
enum class Work : std::uint8_t {
  kInstruction,  // an instruction of a step
  kLoss,         // sums the losses
  kSquares,      // sums the squares of a parameter's gradient
  kScale,        // computes the factor that scales gradients, or decides that there is no update
  kUpdate,       // updates a parameter
};

/// How processors share an entry.
enum class Share : std::uint8_t {
  kOne,         // one processor does all work
  kColumns,     // each processor has units of columns
  kRows,        // each processor has rows, and the edges of its vertices
  kOutput,      // each processor computes the elements of the result that the executor assigns to it
  kCollective,  // all processors meet, do work that the executor assigns to them, and meet again
};

/// The rows, or the units of columns, of one processor: [begin, end).
struct Part {
  std::int32_t processor = 0, begin = 0, end = 0;
  bool operator==(const Part&) const = default;
};

/// An instruction of an entry: the only one, or a member of a group.
struct ScriptMember {
  bool by_edge = false;  // true if its rows are the edges of the entry's vertices
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
  std::int32_t step = -1, instruction = -1;  // index in Plan::steps, and in the step's code; -1 in the update
  std::int32_t parameter = -1;               // parameter that the update's entry is for; -1 if none
  RowRange rows{};                           // in the instruction's domain
  std::int32_t processor = 0;                // the processor for kOne
  bool adds = false;                         // true if it adds to a gradient that an earlier entry has written
  bool signals = false;                      // true if a processor waits for this entry
  Slice waits, parts, members;               // ranges in the arrays of Script
  bool operator==(const ScriptEntry&) const = default;

  /// True if the entry is an instruction of a step, and not of the update.
  bool is_of_step() const { return step >= 0; }
  /// True if processor p runs the entry.
  bool is_of(std::int32_t p) const { return share != Share::kOne || processor == p; }
};

/// The work of a GPU's processors for a minibatch (VPPS, section III-B): forward, backward and update, as flat arrays
/// without addresses. All processors follow one script, since each owns a slice of every weight. So the script's size
/// grows with the plan's steps, not with its vertices.
struct Script {
  std::int32_t processors = 1;
  std::int32_t unit = 16;     // columns of each gate per unit
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
