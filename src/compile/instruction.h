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

/// Row domains of one type by number: 0 parameter (one row), 1 vertex, 2 edge, 3 + i TypeProgram::partial_domains[i].
using DomainId = std::int32_t;
inline constexpr DomainId kParameterRows = 0, kVertexRows = 1, kEdgeRows = 2, kPartialRows = 3;

/// What memory an operand lives in.
enum class StorageKind : std::uint8_t {
  kTensor,             // dynamic tensor `id` of the type, in the arena
  kState,              // state `id`: one row for each vertex of the minibatch, type after type
  kStateGradient,      // gradients of state `id` by vertex-child pair; `site` tells where this access begins
  kParameter,          // values of parameter `id`
  kParameterGradient,  // gradient of parameter `id`
  kPull,               // float port `id` of the program
  kLossGradient,       // the number 1 / samples
};

/// A list of rows that the plan makes for a type: what gathers, broadcasts and lookups read through.
enum class IndexKind : std::uint8_t {
  kGather,         // by vertex: row of child number `k` in the states, -1 where absent
  kChildren,       // by edge: row of the child in the states
  kEdgeVertex,     // by edge: row of its vertex
  kVertexPartial,  // by vertex: its row of `domain`, -1
  kEdgePartial,    // by edge: row of `domain` of its vertex, -1
  kPartialVertex,  // by row of `domain`: row of its vertex; of all its vertices, one after the other, if it is distinct
  kPort,           // by row of `domain`: value of the index port (of edges where that is edge), -1 where absent
  kPullRow,        // by vertex: row of the data set's float port, -1
  kPullEdgeRow,    // by edge: row of the data set's float port of edges
};

struct IndexRequest {
  IndexKind kind;
  std::int32_t k = 0;             // child number
  std::string port = {};          // of the port kinds
  DomainId domain = kVertexRows;  // of the kinds above that name it
  bool operator==(const IndexRequest&) const = default;
  /// Whether it lists rows of the states, where all types lie one after the other; else rows of one type or of data.
  bool of_states() const { return kind == IndexKind::kGather || kind == IndexKind::kChildren; }
  bool by_edge() const {
    return kind == IndexKind::kChildren || kind == IndexKind::kEdgeVertex || kind == IndexKind::kEdgePartial ||
           by_edge_port();
  }
  /// Whether it lists what a port of edges has, by edge.
  bool by_edge_port() const {
    return kind == IndexKind::kPullEdgeRow || (kind == IndexKind::kPort && domain == kEdgeRows);
  }
  /// The domain that it has an entry for each row of; of distinct rows kPartialVertex has more.
  DomainId listed_by() const {
    if (kind == IndexKind::kPartialVertex || kind == IndexKind::kPort) return domain;
    return by_edge() ? kEdgeRows : kVertexRows;
  }
};

/// Where an instruction reads or writes: columns of a storage, through an index list or row by row.
struct Operand {
  StorageKind kind = StorageKind::kTensor;
  std::int32_t id = 0;
  std::int32_t site = -1;   // of kStateGradient
  std::int32_t column = 0;  // first column
  std::int32_t width = 0;   // columns; 1 is broadcast beside wider operands
  std::int32_t stride = 0;  // of the storage's rows; 0: one row for all
  std::int32_t index = -1;  // into TypeProgram::indices; -1: rows of `domain` in order
  DomainId domain = kVertexRows;
  bool operator==(const Operand&) const = default;
};

/// What one input of a product is multiplied with, and where each parameter's product goes.
struct Factor {
  std::vector<std::int32_t> parameters;
  std::vector<std::int32_t> outs;  // numbers in Instruction::out
  std::vector<char> add;           // to what an earlier factor wrote there
  std::int32_t weight = -1;        // into Program::weights
  bool operator==(const Factor&) const = default;
};

// The kinds of instructions: what each has besides what all have.

/// A fused scalar program.
struct Elementwise {
  ScalarProgram program;
  std::int32_t loop = -1;  // its number in the program
  bool operator==(const Elementwise&) const = default;
};

/// out = sum of in * parameters, or their transposes, by `factors`.
struct Matmul {
  std::vector<Factor> factors;  // one for each of `in`
  std::int32_t gate = 0;        // of their weights
  bool transposed = false;
  bool operator==(const Matmul&) const = default;
};

/// The row kernel of an operator.
struct RowOp {
  const OpDef* op = nullptr;
  float number = 0;
  Window window = {};            // of what works on images
  std::int32_t matrix_rows = 1;  // of the result of a product of two matrices
  std::int32_t labels = -1;      // list of labels
  std::int32_t mask_id = 0;      // dropout: number of the mask in its function
  bool by_sample = false;        // dropout: one mask for all vertices of a sample
  bool operator==(const RowOp&) const = default;
};

/// out = in[0]^T in[1], a sum over all rows.
struct WeightGradient {
  std::int32_t matrix_rows = 1;  // of the operands, where a row is a matrix
  bool operator==(const WeightGradient&) const = default;
};

/// out = sum of in[0]'s rows.
struct SumRows {
  bool operator==(const SumRows&) const = default;
};

/// Gradient of table `parameter` += rows of in[0].
struct LookupGradient {
  std::int32_t parameter = -1;
  std::int32_t lookups = -1;  // list of them
  bool operator==(const LookupGradient&) const = default;
};

/// out = sum over parents of what they scattered.
struct GatherGradient {
  std::int32_t state = -1;
  bool operator==(const GatherGradient&) const = default;
};

/// out = sum of in[0]'s rows over the vertices of a distinct row.
struct SegmentSum {
  DomainId by = kPartialRows;  // the distinct domain
  bool operator==(const SegmentSum&) const = default;
};

/// in[0] * parameter (+ in[1]) tile by tile, its cross-entropy, gradients.
struct LinearCrossEntropy {
  std::int32_t parameter = -1;
  std::int32_t labels = -1;                          // list of them
  std::int32_t weight = -1, transposed_weight = -1;  // into Program::weights
  std::int32_t dx = -1, dw = -1, db = -1;            // numbers in `out`, -1: not wanted; 0 is the loss
  Operand tile = {};                                 // logits of some rows
  bool operator==(const LinearCrossEntropy&) const = default;
};

struct Instruction;

/// `members`, one after the other on a block of rows.
struct RowGroup {
  std::vector<Instruction> members;              // of its domain; of edges, too, where that is the vertices
  std::array<std::int32_t, 2> tile_widths = {};  // floats of the tile for a row that is no edge, an edge
  std::int32_t product_units = 0;                // if a product leads it: the units that it is shared in; else 0
  bool operator==(const RowGroup& other) const;  // not defaulted: an instruction is no complete type yet
};

/// What an instruction does, and what it needs for that.
using InstructionKind = std::variant<Elementwise, Matmul, RowOp, WeightGradient, SumRows, LookupGradient,
                                     GatherGradient, SegmentSum, LinearCrossEntropy, RowGroup>;

/// One step of a vertex function over the rows of a task.
struct Instruction {
  InstructionKind kind;
  DomainId domain = kVertexRows;  // rows it runs over
  std::int32_t level = 0;         // longest chain of instructions before it, in its stage
  bool barrier = false;           // must wait for earlier instructions of its stage
  std::vector<Operand> in = {}, out = {};
  std::vector<ValueId> values = {};  // nodes that it computes, in order of `out` first
  double flops_per_row = 0;
  std::int32_t free_columns = 0;            // columns, where each can be computed apart from the others; else 0
  std::array<std::int32_t, 2> widths = {};  // row by row: floats that it works on for a row that is no edge, an edge

  template <typename... Kinds>
  bool is() const {
    return (std::holds_alternative<Kinds>(kind) || ...);
  }
  /// What it has as one of this kind; nullptr: it is of another.
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

/// "matmul", "row_group"; of a row kernel: its operator's name.
std::string_view name_of(const Instruction& instruction);

/// Calls f(instruction) for all that compute something: members in the place of their group.
template <typename F>
void each_instruction(std::span<const Instruction> code, F f) {
  for (const Instruction& i : code)
    if (const auto* group = i.as<RowGroup>())
      for (const Instruction& member : group->members) f(member);
    else
      f(i);
}

}  // namespace cavs::inline v0_1
