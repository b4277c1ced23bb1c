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

/// What copying costs: kernels, and what they copy for each row of a task and once a task (parameters).
struct CopyCost {
  std::int64_t kernels = 0, row_bytes = 0, fixed_bytes = 0;

  std::int64_t bytes(std::int64_t rows) const { return rows * row_bytes + fixed_bytes; }
  void operator+=(const CopyCost& other) {
    kernels += other.kernels, row_bytes += other.row_bytes, fixed_bytes += other.fixed_bytes;
  }
  bool operator==(const CopyCost&) const = default;
};

/// One operand of a batch: what each of its nodes reads or writes there.
struct BatchOperand {
  std::int32_t input = -1;  // -1: the result
  Elements elements;        // variables, in the order of NodeBatch::nodes
  CopyCost cost;            // of a copy
  bool view = false;        // in the order of the layout
  bool view_declared = false;
};

/// Nodes that run as one operator.
struct NodeBatch {
  std::int32_t function = 0;
  std::vector<ValueId> nodes;  // in the order in which their operands lie in memory
  std::vector<BatchOperand> operands;
};

/// Values that one vertex hands to others: what F scatters, or gathers of one child.
struct StateRecord {
  std::int32_t function = 0;
  std::int32_t child = -1;  // number of the child, kScattered or kAllChildren
  std::vector<std::string> states;
  Elements elements;  // variables of each state
  CopyCost cost;
  bool view = false, view_declared = false;  // in the order in which most have them

  static constexpr std::int32_t kAllChildren = -1, kScattered = -2;
};

struct LayoutOptions {
  /// One value that several nodes of a batch read is read in place: products that share an input are merged, an
  /// element-wise operand has stride 0. Off: it is copied for each (ED-Batch, Table 2).
  bool share = true;
  std::int64_t rows = 8;  // of a task, where bytes are weighed
};

/// How the variables of a model lie in memory, and what is copied all the same (ED-Batch, section 3). A plain value.
struct MemoryLayout {
  std::vector<Variable> variables;
  std::vector<std::int32_t> order;  // of the variables; those of one storage are columns of one row record
  std::vector<NodeBatch> batches;   // function after function, in the order in which they run
  std::vector<StateRecord> states;
  struct Batching {
    std::string policy;
    std::int64_t batches = 0, lower_bound = 0;
  };
  std::vector<Batching> batching;            // of each function
  CopyCost declared, copies;                 // with variables in the order of declaration, and in this one
  CopyCost declared_states, state_copies;    // of records whose states do not lie as most have them
  std::int64_t conflicts = 0;                // operands that the order gave up
  std::int64_t reductions = 0, touched = 0;  // of the PQ-tree: its work
};

/// Batches the nodes of F of each function, and orders all variables so that operands of batches are adjacent and
/// aligned. Never more bytes are copied than with the order of declaration.
/// @param stages  of the nodes of each function; empty, or empty for one: all nodes may run together.
/// @param parameters  their names, in the order of declaration.
/// Before: the shapes of all values are known.
/// Cost: Lemma 3.1; under a millisecond for a cell.
MemoryLayout find_layout(std::span<const Function* const> functions, std::span<const std::vector<Stage>> stages,
                         std::span<const std::string> parameters, const LayoutOptions& options = {});

/// The layout of F of every vertex function of a program.
MemoryLayout find_layout(const Program& program, const LayoutOptions& options = {});

}  // namespace cavs::inline v0_1
