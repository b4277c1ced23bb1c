#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "layout/aligned_order.h"
#include "layout/node_batches.h"
#include "layout/variables.h"

namespace cavs::inline v0_1 {

struct Program;

/// Cost of copies: kernels, bytes per row of a task, and bytes once per task (parameters).
struct CopyCost {
  std::int64_t kernels = 0, row_bytes = 0, fixed_bytes = 0;

  std::int64_t bytes(std::int64_t rows) const { return rows * row_bytes + fixed_bytes; }
  void operator+=(const CopyCost& other) {
    kernels += other.kernels;
    row_bytes += other.row_bytes;
    fixed_bytes += other.fixed_bytes;
  }
  bool operator==(const CopyCost&) const = default;
};

/// One operand of a batch: the variables that each of its nodes reads or writes.
struct BatchOperand {
  std::int32_t input = -1;  // number of the input, or -1: the result
  Elements elements;        // variables, in the order of NodeBatch::nodes
  CopyCost cost;            // of copying the operand
  bool view = false;        // true if read in place in this layout; below: in order of declaration
  bool view_declared = false;
};

/// Nodes that run as one operator.
struct NodeBatch {
  std::int32_t function = 0;
  std::vector<ValueId> nodes;  // in the order of their operands in memory
  std::vector<BatchOperand> operands;
};

/// Values that a vertex hands to others: the states that F scatters, or gathers from one child.
struct StateRecord {
  std::int32_t function = 0;
  std::int32_t child = -1;  // number of the child, kScattered or kAllChildren
  std::vector<std::string> states;
  Elements elements;  // variables of each state
  CopyCost cost;
  bool view = false, view_declared = false;  // true if in the order that most records have

  static constexpr std::int32_t kAllChildren = -1, kScattered = -2;
};

struct LayoutOptions {
  /// True to read a value in place that several nodes of a batch read: products that share an input are merged, and an
  /// element-wise operand has stride 0. False to copy the value for each node (ED-Batch, Table 2).
  bool share = true;
  std::int64_t rows = 8;  // rows per task assumed when weighing bytes
};

/// The order of a model's variables in memory, and the copies that remain (ED-Batch, section 3). A plain value.
struct MemoryLayout {
  std::vector<Variable> variables;
  std::vector<std::int32_t> order;  // numbers of variables; those of one storage are columns of one row record
  std::vector<NodeBatch> batches;   // function by function, in execution order
  std::vector<StateRecord> states;
  struct Batching {
    std::string policy;
    std::int64_t batches = 0, lower_bound = 0;
  };
  std::vector<Batching> batching;            // by function
  CopyCost declared, copies;                 // cost in order of declaration, and in this order
  CopyCost declared_states, state_copies;    // of records whose states are not in the most common order
  std::int64_t conflicts = 0;                // operands that the order gave up
  std::int64_t reductions = 0, touched = 0;  // work of the PQ-tree
};

/// Batches the nodes of each function's F, and orders all variables so that operands of batches are adjacent and
/// aligned. The result never copies more bytes than the order of declaration does.
/// @param stages  of the nodes of each function. If empty, or empty for a function, all nodes may run together.
/// @param parameters  names in the order of declaration.
/// Before: the shapes of all values are known.
/// Cost: Lemma 3.1; under a millisecond for a cell.
MemoryLayout find_layout(std::span<const Function* const> functions, std::span<const std::vector<Stage>> stages,
                         std::span<const std::string> parameters, const LayoutOptions& options = {});

/// Finds the layout of F of every vertex function of a program.
MemoryLayout find_layout(const Program& program, const LayoutOptions& options = {});

}  // namespace cavs::inline v0_1
