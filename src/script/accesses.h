#pragma once

#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "placement/placement.h"

namespace cavs::inline v0_1 {

/// The rows of an operand that one row of an instruction accesses.
enum class RowsOf : std::uint8_t {
  kSame,     // the row with the same number
  kEdges,    // the edges of a vertex
  kEqual,    // the vertices that share a distinct row
  kParents,  // the gradients that the parents of a vertex scattered
  kAll,      // all rows of the operand
};

/// An operand that a member of an instruction (the instruction itself, or one of its group) reads or writes.
struct Access {
  Operand operand;
  bool writes = false;
  RowsOf rows = RowsOf::kSame;
  std::int32_t state = -1;  // for kParents: the state
  std::int32_t equal = -1;  // for kEqual: index into Plan::Type::equal
  std::int32_t gate = 0;    // see ScriptOperand::gate
  std::int32_t first_unit = 0;
};

struct MemberAccesses {
  bool by_edge = false;
  std::vector<Access> accesses;  // reads before writes, except tiles, which stay on one processor
};

/// Ways in which processors can share an instruction. The comments refer to Share.
enum class Sharing : std::uint8_t {
  kUnits,   // a product, or a group that begins with one: kColumns, or kRows if the columns cannot be divided evenly
  kOwner,   // a product with a placed weight, or a group that begins with one: kColumns, by the weight's owners
  kRows,    // work that is row by row: kRows, or kColumns if columns are independent and rows are few
  kOutput,  // a sum over rows: kOutput
  kCollective,
};

/// Properties of an instruction that a script needs. They are the same for all minibatches.
struct InstructionAccesses {
  Sharing sharing = Sharing::kRows;
  bool is_sum = false;                   // sums over rows, and therefore also runs without rows, to write zeros
  bool adds_by_tasks = false;            // adds to a gradient in each task
  std::int32_t gradient = -1;            // the parameter whose gradient it writes; -1 if there is none
  bool by_edge = false;                  // its kernel loops over the edges of a vertex
  std::int32_t units = 0;                // units of columns; 0 if columns are not shared
  const PlacedWeight* placed = nullptr;  // for kOwner
  std::vector<MemberAccesses> members;
};

/// Finds the accesses of an instruction. @param by_tasks  true if the instruction belongs to a task
InstructionAccesses accesses_of(const Program& program, const TypeProgram& type, const Instruction& instruction,
                                bool by_tasks, const WeightPlacement& placement);

}  // namespace cavs::inline v0_1
