#pragma once

#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "placement/placement.h"

namespace cavs::inline v0_1 {

/// How the rows of an instruction lead to those of an operand.
enum class RowsOf : std::uint8_t {
  kSame,     // row by row
  kEdges,    // a vertex's edges
  kEqual,    // the vertices of a distinct row
  kParents,  // what a vertex's parents scattered
  kAll,      // all that there are
};

/// What a member of an instruction reads or writes.
struct Access {
  Operand operand;
  bool writes = false;
  RowsOf rows = RowsOf::kSame;
  std::int32_t state = -1;  // of kParents
  std::int32_t equal = -1;  // of kEqual: into Plan::Type::equal
  std::int32_t gate = 0;    // as ScriptOperand has them
  std::int32_t first_unit = 0;
};

struct MemberAccesses {
  bool by_edge = false;
  std::vector<Access> accesses;  // reads first; but for what stays in a tile
};

/// How processors can share an instruction; see Share.
enum class Sharing : std::uint8_t {
  kUnits,   // a product, or a group that one leads: by columns; by rows where columns do not divide well
  kOwner,   // the same, by the owners of a placed weight
  kRows,    // row by row: by rows, or by columns where they are independent and rows are few
  kOutput,  // a sum over rows
  kTogether,
};

/// What a script has to know of an instruction, the same for all minibatches.
struct InstructionAccesses {
  Sharing sharing = Sharing::kRows;
  bool is_sum = false;                   // sums over rows, zeros where there are none: executed without rows, too
  bool adds_by_tasks = false;            // to a gradient, a few rows at a time
  std::int32_t gradient = -1;            // parameter that it writes the gradient of
  bool by_edge = false;                  // it runs over edges itself
  std::int32_t units = 0;                // of columns; 0: they are not shared
  const PlacedWeight* placed = nullptr;  // of kOwner
  std::vector<MemberAccesses> members;
};

/// @param by_tasks  the instruction is of a task
InstructionAccesses accesses_of(const Program& program, const TypeProgram& type, const Instruction& instruction,
                                bool by_tasks, const WeightPlacement& placement);

}  // namespace cavs::inline v0_1
