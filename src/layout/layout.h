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

/// Cost of copies: number of kernels, bytes per row of a task, and bytes of parameters per task.
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
  std::int32_t input = -1;     // number of the nodes' input, or -1 for their result
  Elements elements;           // variables of each node, in the order of NodeBatch::nodes
  CopyCost cost;               // cost of copying the operand
  bool view = false;           // true if the operand is in place, without a copy
  bool view_declared = false;  // like `view`, if variables were in the order of declaration
};

/// Nodes that run as one operator.
struct NodeBatch {
  std::int32_t function = 0;
  std::vector<ValueId> nodes;  // ordered by the addresses of their operands
  std::vector<BatchOperand> operands;
};

/// States that a vertex passes to others or reads: all that F scatters, or all that F gathers from one child.
struct StateRecord {
  std::int32_t function = 0;
  std::int32_t child = -1;  // child from which F gathers, or kAllChildren or kScattered
  std::vector<std::string> states;
  Elements elements;  // [states] variables of the state
  CopyCost cost;
  bool view = false, view_declared = false;  // true if no copy is needed; see BatchOperand

  static constexpr std::int32_t kAllChildren = -1, kScattered = -2;
};

struct LayoutOptions {
  /// True to read a value that several nodes of a batch read in place: products that share an input are merged, and an
  /// element-wise operand gets stride 0. False to copy the value for each of these nodes (ED-Batch, Table 2).
  bool share = true;
  std::int64_t rows = 8;  // assumed rows per task, to compare CopyCost::row_bytes with fixed_bytes
};

/// The order of a model's variables in memory, and the copies that remain (ED-Batch, section 3). A plain value.
struct MemoryLayout {
  std::vector<Variable> variables;
  std::vector<std::int32_t> order;  // numbers of variables; those of one storage are columns of its rows
  std::vector<NodeBatch> batches;   // of all functions in turn, in execution order
  std::vector<StateRecord> states;
  struct Batching {
    std::string policy;
    std::int64_t batches = 0, lower_bound = 0;
  };
  std::vector<Batching> batching;            // [functions] how its nodes were batched
  CopyCost declared, copies;                 // cost of copies: in the order of declaration; in `order`
  CopyCost declared_states, state_copies;    // likewise, cost of the records in `states`
  std::int64_t conflicts = 0;                // number of operands that `order` gave up
  std::int64_t reductions = 0, touched = 0;  // work of the PQ-tree, as in AlignedOrder
};

/// Batches the nodes of each function's F, and orders all variables so that operands of batches are adjacent and
/// aligned. The result never copies more bytes than the order of declaration does.
/// @param stages  [functions][nodes] stage of the node. All nodes of a function without stages may run together.
/// @param parameters  names of the parameters in declaration order.
/// Before: the shapes of all values are known.
/// Cost: see order_variables; under a millisecond for an LSTM cell.
MemoryLayout find_layout(std::span<const Function* const> functions, std::span<const std::vector<Stage>> stages,
                         std::span<const std::string> parameters, const LayoutOptions& options = {});

/// Finds the layout of F of every vertex function of a program.
MemoryLayout find_layout(const Program& program, const LayoutOptions& options = {});

}  // namespace cavs::inline v0_1
