#pragma once

#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "placement/placement.h"

namespace cavs::inline v0_1 {

/// Maps the rows of an instruction to rows of an operand.
enum class RowsOf : std::uint8_t {
  kSame,     // the same rows
  kEdges,    // the edges of a vertex
  kEqual,    // the vertices of a distinct row
  kParents,  // the gradients that the parents of a vertex scattered
  kAll,      // all rows of the operand
};

/// An operand that a member of an instruction reads or writes.
struct Access {
  Operand operand;
  bool writes = false;
  RowsOf rows = RowsOf::kSame;
  std::int32_t state = -1;  // for kParents
  std::int32_t equal = -1;  // for kEqual: index into Plan::Type::equal
  std::int32_t gate = 0;    // see ScriptOperand::gate
  std::int32_t first_unit = 0;
};

struct MemberAccesses {
  bool by_edge = false;
  std::vector<Access> accesses;  // reads before writes; without tiles that stay on one processor
};

/// How processors can share an instruction. See Share.
enum class Sharing : std::uint8_t {
  kUnits,   // a product or a group that a product leads: by columns, or by rows if columns do not divide well
  kOwner,   // likewise, by the owners of a placed weight
  kRows,    // row by row: by rows, or by columns if these are independent and rows are few
  kOutput,  // a sum over rows
  kCollective,
};

/// All that a script needs of an instruction, the same for all minibatches.
struct InstructionAccesses {
  Sharing sharing = Sharing::kRows;
  bool is_sum = false;                   // sums over rows: also executed without rows, to write zeros
  bool adds_by_tasks = false;            // adds to a gradient, a few rows at a time
  std::int32_t gradient = -1;            // the parameter whose gradient it writes
  bool by_edge = false;                  // it loops over edges itself
  std::int32_t units = 0;                // units of columns; 0 if columns are not shared
  const PlacedWeight* placed = nullptr;  // for kOwner
  std::vector<MemberAccesses> members;
};

/// @param by_tasks  true if the instruction belongs to a task
InstructionAccesses accesses_of(const Program& program, const TypeProgram& type, const Instruction& instruction,
                                bool by_tasks, const WeightPlacement& placement);

}  // namespace cavs::inline v0_1
