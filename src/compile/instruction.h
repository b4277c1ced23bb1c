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
  kState,              // state `id`: one row for each vertex of the minibatch, ordered by type
  kStateGradient,      // gradients of state `id`, per vertex-child pair; `site` is the segment of this access
  kParameter,          // values of parameter `id`
  kParameterGradient,  // gradient of parameter `id`
  kPull,               // float port `id` of the program
  kLossGradient,       // the number 1 / samples
};

/// The kinds of lists of row numbers that the plan makes for gathers, broadcasts and lookups. -1 is an absent row.
enum class IndexKind : std::uint8_t {
  kGather,         // by vertex: row of child number `k` in the states, -1 where absent
  kChildren,       // by edge: row of the child in the states
  kEdgeVertex,     // by edge: row of its vertex
  kVertexPartial,  // by vertex: its row of `domain`, or -1
  kEdgePartial,    // by edge: row of `domain` of its vertex, or -1
  kPartialVertex,  // by row of `domain`: row of its vertex; distinct domains: all vertices of row 0, then of row 1, ...
  kPort,           // by row of `domain` (or by edge for a port of edges): value of the index port, or -1
  kPullRow,        // by vertex: row of the data set's float port, or -1
  kPullEdgeRow,    // by edge: row of the data set's float port of edges
};

struct IndexRequest {
  IndexKind kind;
  std::int32_t k = 0;             // child number, for kGather only
  std::string port = {};          // for kinds that read a port only
  DomainId domain = kVertexRows;  // for kinds whose comments name `domain` only
  bool operator==(const IndexRequest&) const = default;
  /// True if the list has rows of the states (of all types); other lists have rows of one type, or of the data set.
  bool of_states() const { return kind == IndexKind::kGather || kind == IndexKind::kChildren; }
  bool by_edge() const {
    return kind == IndexKind::kChildren || kind == IndexKind::kEdgeVertex || kind == IndexKind::kEdgePartial ||
           by_edge_port();
  }
  /// True if the list has the values of a port of edges, one per edge.
  bool by_edge_port() const {
    return kind == IndexKind::kPullEdgeRow || (kind == IndexKind::kPort && domain == kEdgeRows);
  }
  /// Returns the domain that the list has one entry per row of. kPartialVertex of a distinct domain has more entries.
  DomainId listed_by() const {
    if (kind == IndexKind::kPartialVertex || kind == IndexKind::kPort) return domain;
    return by_edge() ? kEdgeRows : kVertexRows;
  }
};

/// Columns of memory that an instruction reads or writes, through a list of row numbers or in the order of the rows.
struct Operand {
  StorageKind kind = StorageKind::kTensor;
  std::int32_t id = 0;
  std::int32_t site = -1;   // kStateGradient only
  std::int32_t column = 0;  // first column
  std::int32_t width = 0;   // number of columns; 1 is broadcast beside wider operands
  std::int32_t stride = 0;  // floats between rows; 0 if there is one row for all
  std::int32_t index = -1;  // number in TypeProgram::indices, or -1 if rows of `domain` are read in order
  DomainId domain = kVertexRows;
  bool operator==(const Operand&) const = default;
};

/// The weights that one input of a product is multiplied with, and the results that these products are written to.
struct Factor {
  std::vector<std::int32_t> parameters;
  std::vector<std::int32_t> outs;  // numbers in Instruction::out
  std::vector<char> add;           // per result: true to add to what an earlier factor wrote there
  std::int32_t weight = -1;        // number in Program::weights
  bool operator==(const Factor&) const = default;
};

// The kinds of instructions, with the fields that Instruction does not have.

/// Element-wise: a fused scalar program.
struct Elementwise {
  ScalarProgram program;
  std::int32_t loop = -1;  // number of the loop in the Program
  bool operator==(const Elementwise&) const = default;
};

/// out = sum of in * parameters, or of in * transposed parameters: `factors` has the parameters of each input.
struct Matmul {
  std::vector<Factor> factors;  // one for each of `in`
  std::int32_t gate = 0;        // width of a gate: the weights' columns are interleaved by gates of this width
  bool transposed = false;
  bool operator==(const Matmul&) const = default;
};

/// The row kernel of an operator.
struct RowOp {
  const OpDef* op = nullptr;
  float number = 0;
  Window window = {};            // operators on images only
  std::int32_t matrix_rows = 1;  // rows of the result, for a product of two matrices
  std::int32_t labels = -1;      // index list of labels, or -1
  std::int32_t mask_id = 0;      // dropout: number of the mask in its function
  bool by_sample = false;        // dropout: one mask for all vertices of a sample
  bool operator==(const RowOp&) const = default;
};

/// out = in[0]^T in[1], a sum over all rows.
struct WeightGradient {
  std::int32_t matrix_rows = 1;  // number of matrix rows, if each row of an operand is a matrix
  bool operator==(const WeightGradient&) const = default;
};

/// out = sum of in[0]'s rows.
struct SumRows {
  bool operator==(const SumRows&) const = default;
};

/// Gradient of table `parameter` += rows of in[0].
struct LookupGradient {
  std::int32_t parameter = -1;
  std::int32_t lookups = -1;  // index list of lookups
  bool operator==(const LookupGradient&) const = default;
};

/// out = sum, over the parents of a vertex, of the state gradients that they scattered.
struct GatherGradient {
  std::int32_t state = -1;
  bool operator==(const GatherGradient&) const = default;
};

/// out = for each row of a distinct domain, the sum of in[0]'s rows over the vertices that share the row.
struct SegmentSum {
  DomainId by = kPartialRows;  // the distinct domain
  bool operator==(const SegmentSum&) const = default;
};

/// in[0] * parameter (+ in[1]), the cross-entropy of this product and all their gradients, tile by tile.
struct LinearCrossEntropy {
  std::int32_t parameter = -1;
  std::int32_t labels = -1;                          // index list of labels
  std::int32_t weight = -1, transposed_weight = -1;  // numbers in Program::weights
  std::int32_t dx = -1, dw = -1, db = -1;            // numbers in `out`, or -1 if not needed; 0 is the loss
  Operand tile = {};                                 // the logits of one tile
  bool operator==(const LinearCrossEntropy&) const = default;
};

struct Instruction;

/// Runs all `members`, one after the other, on one block of rows, then on the next block.
struct RowGroup {
  std::vector<Instruction> members;              // over rows of the group's domain; of kVertexRows also edges
  std::array<std::int32_t, 2> tile_widths = {};  // floats in the tile per row: [0] of the domain, [1] of edges
  std::int32_t product_units = 0;                // number of units that workers share if a product leads, else 0
  bool operator==(const RowGroup& other) const;  // not defaulted: Instruction is incomplete here
};

/// The kind of an instruction, with its fields.
using InstructionKind = std::variant<Elementwise, Matmul, RowOp, WeightGradient, SumRows, LookupGradient,
                                     GatherGradient, SegmentSum, LinearCrossEntropy, RowGroup>;

/// One step of a vertex function over the rows of a task.
struct Instruction {
  InstructionKind kind;
  DomainId domain = kVertexRows;  // the rows that it runs over
  std::int32_t level = 0;         // length of the longest chain of instructions that it depends on in its stage
  bool barrier = false;           // must wait for earlier instructions of its stage
  std::vector<Operand> in = {}, out = {};
  std::vector<ValueId> values = {};  // the nodes that it computes; first those of `out`, in order
  double flops_per_row = 0;
  std::int32_t free_columns = 0;            // number of columns if each is computed independently of the others; else 0
  std::array<std::int32_t, 2> widths = {};  // row-by-row kinds: floats per row, [0] in the domain, [1] in edges

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
