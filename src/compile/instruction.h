#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/op.h"
#include "tensor/scalar_program.h"
#include "tensor/window.h"

namespace cavs::inline v0_1 {

/// Number of a domain of one type. Domain 3 + i is TypeProgram::partial_domains[i].
using DomainId = std::int32_t;
inline constexpr DomainId kParameterRows = 0, kVertexRows = 1, kEdgeRows = 2, kPartialRows = 3;

/// The memory that holds an operand.
enum class StorageKind : std::uint8_t {
  kTensor,             // dynamic tensor `id` of the type, in the arena
  kState,              // state `id`: a row per vertex of the minibatch; the rows are ordered by type
  kStateGradient,      // gradients of state `id`: the rows that one place in ∂F (Operand::site) scatters
  kParameter,          // parameter `id`
  kParameterGradient,  // gradient of parameter `id`
  kPull,               // float port `id` of the program
  kLossGradient,       // one number, the gradient of each loss (usually 1 / number of samples)
};

/// The kinds of lists of row numbers that the plan makes for gathers, broadcasts and lookups. Each comment states what
/// a list has one entry for, and what the entry is. An entry of -1 is an absent row.
enum class IndexKind : std::uint8_t {
  kGather,         // per vertex: row of child number `k` in the states, or -1
  kChildren,       // per edge: row of the edge's child in the states
  kEdgeVertex,     // per edge: row of the vertex (the parent) that has the edge
  kVertexPartial,  // per vertex: row of `domain` for the vertex, or -1
  kEdgePartial,    // per edge: row of `domain` for the vertex that has the edge, or -1
  kPartialVertex,  // per row of `domain`: row of its vertex; if `domain` is distinct: all vertices of each row in turn
  kPort,           // per row of `domain` (kEdgeRows for a port of edges): value of index port `port`, or -1
  kPullRow,        // per vertex: row of float port `port` in the data set, or -1
  kPullEdgeRow,    // per edge: row of float port `port` in the data set
};

struct IndexRequest {
  IndexKind kind;
  std::int32_t k = 0;             // number of the child, for kGather only
  std::string port = {};          // name of the port, only for kinds that read a port
  DomainId domain = kVertexRows;  // only for kinds whose comments above mention `domain`
  bool operator==(const IndexRequest&) const = default;
  /// True if the entries are rows of the states (which have vertices of all types), not of one type or of the data set.
  bool of_states() const { return kind == IndexKind::kGather || kind == IndexKind::kChildren; }
  bool by_edge() const {
    return kind == IndexKind::kChildren || kind == IndexKind::kEdgeVertex || kind == IndexKind::kEdgePartial ||
           by_edge_port();
  }
  /// True if the entries are the values (or rows) of a port of edges.
  bool by_edge_port() const {
    return kind == IndexKind::kPullEdgeRow || (kind == IndexKind::kPort && domain == kEdgeRows);
  }
  /// Returns the domain per row of which the list has an entry. A kPartialVertex of a distinct domain has more entries.
  DomainId listed_by() const {
    if (kind == IndexKind::kPartialVertex || kind == IndexKind::kPort) return domain;
    return by_edge() ? kEdgeRows : kVertexRows;
  }
};

/// Columns of memory that an instruction reads or writes, in the order of the rows or through a list of row numbers.
struct Operand {
  StorageKind kind = StorageKind::kTensor;
  std::int32_t id = 0;
  std::int32_t site = -1;   // number in Program::sites[id], for kStateGradient only
  std::int32_t column = 0;  // first column within a row
  std::int32_t width = 0;   // number of columns; a single column is broadcast to the width of wider operands
  std::int32_t stride = 0;  // floats from one row to the next; 0 if all rows read the same one
  std::int32_t index = -1;  // number of the list of rows in TypeProgram::indices, or -1: the rows of `domain` in order
  DomainId domain = kVertexRows;
  bool operator==(const Operand&) const = default;
};

/// The weights that one input of a product is multiplied with, and the results that these products are written to.
struct Factor {
  std::vector<std::int32_t> parameters;  // numbers in Program::parameters
  std::vector<std::int32_t> outs;        // per parameter: number in Instruction::out of the result
  std::vector<char> add;     // per parameter: true to add to the result, which an earlier factor has written
  std::int32_t weight = -1;  // number in Program::weights of the packed parameters
  bool operator==(const Factor&) const = default;
};

// The kinds of instructions, with the fields that Instruction does not have.

/// Element-wise: a fused scalar program.
struct Elementwise {
  ScalarProgram program;
  std::int32_t loop = -1;  // number of the loop among all loops of the Program
  bool operator==(const Elementwise&) const = default;
};

/// out = sum over the inputs of input * parameter (transposed if `transposed`). `factors` has the parameters per input.
struct Matmul {
  std::vector<Factor> factors;  // one per input
  std::int32_t gate = 0;        // columns of a gate, or 0 if the weights are not interleaved (see Weight::gate)
  bool transposed = false;
  bool operator==(const Matmul&) const = default;
};

/// Runs the row kernel of an operator, which computes row by row.
struct RowOp {
  const OpDef* op = nullptr;
  float number = 0;              // number that the operator has, such as epsilon or the probability of dropout
  Window window = {};            // for operators on images only
  std::int32_t matrix_rows = 1;  // products of two matrices: number of rows of the resulting matrix
  std::int32_t labels = -1;      // number in TypeProgram::indices of the list of labels, or -1
  std::int32_t mask_id = 0;      // dropout: number of the mask within its vertex function
  bool by_sample = false;        // dropout: true if all vertices of a sample get the same mask
  bool operator==(const RowOp&) const = default;
};

/// out = transpose of in[0] times in[1], a sum over all rows.
struct WeightGradient {
  std::int32_t matrix_rows = 1;  // number of rows of the matrix that each row of an operand holds; 1 for a vector
  bool operator==(const WeightGradient&) const = default;
};

/// out = sum of all rows of in[0].
struct SumRows {
  bool operator==(const SumRows&) const = default;
};

/// Adds each row of in[0] to a row of the gradient of table `parameter`: the one that a lookup read.
struct LookupGradient {
  std::int32_t parameter = -1;
  std::int32_t lookups = -1;  // number in TypeProgram::indices of the list of looked-up rows
  bool operator==(const LookupGradient&) const = default;
};

/// out = for each vertex, the sum of the gradients of `state` that its parents scattered.
struct GatherGradient {
  std::int32_t state = -1;
  bool operator==(const GatherGradient&) const = default;
};

/// out = for each row of a distinct domain, the sum of in[0]'s rows over the vertices that share the row.
struct SegmentSum {
  DomainId by = kPartialRows;  // the distinct domain over whose rows the sums are
  bool operator==(const SegmentSum&) const = default;
};

/// Computes logits = in[0] * parameter (+ in[1]), their cross-entropy and all gradients, a tile of rows at a time.
struct LinearCrossEntropy {
  std::int32_t parameter = -1;
  std::int32_t labels = -1;                          // number in TypeProgram::indices of the list of labels
  std::int32_t weight = -1, transposed_weight = -1;  // numbers in Program::weights of the parameter
  std::int32_t dx = -1, dw = -1, db = -1;            // numbers in `out`: gradients of in[0], parameter, in[1]; or -1
  Operand tile = {};                                 // memory for the logits of one tile
  bool operator==(const LinearCrossEntropy&) const = default;
};

struct Instruction;

/// Runs all `members`, one after the other, on one block of rows, then on the next block.
struct RowGroup {
  std::vector<Instruction> members;              // run over the group's domain, or over edges if that is kVertexRows
  std::array<std::int32_t, 2> tile_widths = {};  // floats of the group's tile, [0] per row of the domain, [1] per edge
  std::int32_t product_units = 0;                // units (column slices) of the product that leads the group, or 0
  bool operator==(const RowGroup& other) const;  // defined in the .cc file, since Instruction is incomplete here
};

/// The kind of an instruction, with its fields.
using InstructionKind = std::variant<Elementwise, Matmul, RowOp, WeightGradient, SumRows, LookupGradient,
                                     GatherGradient, SegmentSum, LinearCrossEntropy, RowGroup>;

/// One step of a vertex function over the rows of a task.
struct Instruction {
  InstructionKind kind;
  DomainId domain = kVertexRows;  // the domain whose rows the instruction runs over
  std::int32_t level = 0;         // length of the longest chain of instructions of its stage that it depends on
  bool barrier = false;           // true if all earlier instructions of the stage must be done first
  std::vector<Operand> in = {}, out = {};
  std::vector<ValueId> values = {};  // computed nodes: first the node of each `out`, then nodes without memory
  double flops_per_row = 0;
  std::int32_t free_columns = 0;            // number of columns if workers can share columns; else 0
  std::array<std::int32_t, 2> widths = {};  // row-by-row kinds: floats handled, [0] per row of the domain, [1] per edge

  template <typename... Kinds>
  bool is() const {
    return (std::holds_alternative<Kinds>(kind) || ...);
  }
  /// Returns the fields of kind `Kind`, or nullptr if the instruction has another kind.
  template <typename Kind>
  const Kind* as() const {
    return std::get_if<Kind>(&kind);
  }
  template <typename Kind>
  Kind* as() {
    return std::get_if<Kind>(&kind);
  }
  bool operator==(const Instruction&) const = default;
};

using Code = std::vector<Instruction>;

/// Returns the name of the kind, such as "matmul" or "row_group"; for a row kernel the name of its operator.
std::string_view name_of(const Instruction& instruction);

/// Calls f(instruction) for every instruction that computes something; for a row group, for each member.
template <typename F>
void each_instruction(std::span<const Instruction> code, F f) {
  for (const Instruction& i : code)
    if (const auto* group = i.as<RowGroup>())
      for (const Instruction& member : group->members) f(member);
    else
      f(i);
}

}  // namespace cavs::inline v0_1
