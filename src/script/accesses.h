#pragma once

#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "placement/placement.h"

namespace cavs::inline v0_1 {

/// The rows of an operand that one row of an instruction accesses.
enum class RowsOf : std::uint8_t {
  kSame,     // the row with the same number
  kEdges,    // from a vertex: the rows of its edges
  kEqual,    // from a distinct row: the rows of all vertices that share it
  kParents,  // from a vertex: the gradients that its parents scattered to it
  kAll,      // all rows of the operand
};

/// An operand that a member of an instruction (the instruction itself, or one of its group) reads or writes.
struct Access {
  Operand operand;
  bool writes = false;
  RowsOf rows = RowsOf::kSame;
  std::int32_t state = -1;      // for kParents: number of the state; else -1
  std::int32_t equal = -1;      // for kEqual: index in Plan::Type::equal; else -1
  std::int32_t gate = 0;        // see ScriptOperand::gate
  std::int32_t first_unit = 0;  // see ScriptOperand::first_unit
};

/// Accesses of an instruction, or of one member of its group.
struct MemberAccesses {
  bool by_edge = false;
  std::vector<Access> accesses;  // reads, then writes; tiles are left out, because they stay on one processor
};

/// Ways in which processors can share an instruction. The comments list the possible values of Share.
enum class Sharing : std::uint8_t {
  kUnits,       // a product, or a group that begins with one: kColumns, kRows or kOutput
  kOwner,       // a product with a placed weight, or a group that begins with one: kColumns, as the weight is owned
  kRows,        // work that is row by row: kRows, kColumns if columns are independent, kOne if there is little work
  kOutput,      // a sum over rows: kOutput, or kCollective if tasks add to a gradient
  kCollective,  // a softmax over words: kCollective
};

/// Properties of an instruction that a script needs. They are the same for all minibatches.
struct InstructionAccesses {
  Sharing sharing = Sharing::kRows;
  bool is_sum = false;                   // true for a sum over rows, which runs even on no rows, to write zeros
  bool adds_by_tasks = false;            // true if each task adds to a parameter's gradient
  std::int32_t gradient = -1;            // the parameter whose gradient it writes; -1 if there is none
  bool by_edge = false;                  // true if its rows are edges; false if they are vertices
  std::int32_t units = 0;                // number of units of columns; 0 if processors cannot share columns
  const PlacedWeight* placed = nullptr;  // for kOwner: the placed weight; else nullptr
  std::vector<MemberAccesses> members;
};

/// Finds the accesses of an instruction. @param by_tasks  true if the instruction belongs to a task
InstructionAccesses accesses_of(const Program& program, const TypeProgram& type, const Instruction& instruction,
                                bool by_tasks, const WeightPlacement& placement);

}  // namespace cavs::inline v0_1
