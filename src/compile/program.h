#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cavs/compile.h"
#include "cavs/graph.h"
#include "cavs/model.h"
#include "compile/stages.h"
#include "compile/target.h"
#include "ir/function.h"
#include "ir/op.h"
#include "tensor/scalar_program.h"
#include "tensor/window.h"

namespace cavs {

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
  kPort,           // by row of `domain` (vertex or partial): value of the index port, -1 where absent
  kPullRow,        // by vertex: row of the data set's float port, -1
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
    return kind == IndexKind::kChildren || kind == IndexKind::kEdgeVertex || kind == IndexKind::kEdgePartial;
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

/// A dynamic tensor (Cavs, section 3.3): its rows are those of `domain`. One that spans tasks keeps the rows of all of
/// them; another is used inside one task only and has room for the largest. A tile has room for `max_rows` at most.
/// What one row group alone uses has no room at all: it lives block by block in the tiles of the workers.
struct Tensor {
  std::string name;
  std::int32_t width = 0;
  DomainId domain = kVertexRows;
  bool spans_tasks = false;
  std::int32_t max_rows = 0;  // 0: no limit
  /// The state whose gathered gradients it holds, where every reader could take them through a list of rows from where
  /// the parents scattered them; else -1.
  std::int32_t gathers = -1;
  std::int32_t tile = -1;  // of a row group: floats before it in a row of the tile; -1: in the arena
  bool operator==(const Tensor&) const = default;
};

enum class InstructionKind : std::uint8_t {
  kElementwise,         // fused scalar program
  kMatmul,              // out = sum of in * parameters, by `factors`
  kMatmulTransposed,    // out = sum of in * parameters^T, by `factors`
  kRow,                 // row kernel of `op`
  kWeightGradient,      // out = in[0]^T in[1], a sum over all rows
  kSumRows,             // out = sum of in[0]'s rows
  kLookupGradient,      // table gradient of `parameter` += rows of in[0]
  kGatherGradient,      // out = sum over parents of what they scattered
  kSumEqual,            // out = sum of in[0]'s rows over the vertices of a distinct row
  kLinearCrossEntropy,  // in[0] * parameter (+ in[1]) tile by tile, its cross-entropy, gradients
  kRowGroup,            // `members`, one after the other on a block of rows
};

/// Weights side by side that products read: packed once for each time the parameters change. Their columns are made of
/// gates of one width, whose same columns lie together; 0: they are not.
struct Weight {
  std::vector<std::int32_t> parameters;
  bool transposed = false;
  std::int32_t gate = 0;
  bool operator==(const Weight&) const = default;
};

/// What one input of a product is multiplied with, and where each parameter's product goes.
struct Factor {
  std::vector<std::int32_t> parameters;
  std::vector<std::int32_t> outs;  // numbers in Instruction::out
  std::vector<char> add;           // to what an earlier factor wrote there
  std::int32_t weight = -1;        // into Program::weights
  bool operator==(const Factor&) const = default;
};

/// One step of a vertex function over the rows of a task.
struct Instruction {
  InstructionKind kind = InstructionKind::kElementwise;
  DomainId domain = kVertexRows;  // rows it runs over
  std::int32_t level = 0;         // longest chain of instructions before it, in its stage
  bool barrier = false;           // must wait for earlier instructions of its stage
  std::vector<Operand> in, out;
  ScalarProgram program = {};
  std::int32_t loop = -1;            // kElementwise: number of the loop in the program
  std::vector<ValueId> values = {};  // nodes that it computes, in order of `out` first
  const OpDef* op = nullptr;
  float number = 0;
  std::int32_t matrix_rows = 1;      // of the result of a product of two matrices; kWeightGradient: of its operands
  std::int32_t mask_id = 0;          // dropout: number of the mask in its function
  bool by_sample = false;            // dropout: one mask for all vertices of a sample
  Window window = {};                // of what works on images
  std::vector<Factor> factors = {};  // kMatmul, kMatmulTransposed: one for each of `in`
  std::int32_t gate = 0;             // of their weights
  std::int32_t product_units = 0;    // kRowGroup that a product leads: the units that it is shared in; else 0
  std::int32_t parameter = -1;       // kLookupGradient, kLinearCrossEntropy
  std::int32_t weight = -1, transposed_weight = -1;  // kLinearCrossEntropy: into Program::weights
  std::int32_t index = -1;                 // kLookupGradient: list of lookups; kRow, kLinearCrossEntropy: labels
  std::int32_t list = -1;                  // kGatherGradient: into Program::gradient_lists
  std::int32_t dx = -1, dw = -1, db = -1;  // kLinearCrossEntropy: numbers in `out`, -1: not wanted; 0 is the loss
  Operand tile = {};                       // kLinearCrossEntropy: logits of some rows
  double flops_per_row = 0;
  std::int32_t free_columns = 0;            // columns, where each can be computed apart from the others; else 0
  std::vector<Instruction> members = {};    // kRowGroup: of `domain`; of edges, too, where that is the vertices
  std::array<std::int32_t, 2> widths = {};  // row by row: floats that it works on for a row that is no edge, an edge
  std::array<std::int32_t, 2> tile_widths = {};  // kRowGroup: floats of the tile for a row that is no edge, an edge
  bool operator==(const Instruction&) const = default;
};

using Code = std::vector<Instruction>;

/// Calls f(instruction) for all that compute something: members in the place of their group.
template <typename F>
void each_instruction(std::span<const Instruction> code, F f) {
  for (const Instruction& i : code) {
    if (i.kind != InstructionKind::kRowGroup) f(i);
    for (const Instruction& member : i.members) f(member);
  }
}

/// What decides whether a step of this code is worth sharing between workers, and what of it can be streamed.
struct CodeCost {
  std::vector<double> flops;  // a row of each domain
  std::int32_t waits = 0;     // for the team, where it is shared
  bool needs_team = false;    // has sums over rows, which all workers take part in
  std::int32_t by_rows = 0;   // leading instructions that a worker can run on some vertices alone
  double row_flops = 0;       // of these, a vertex
  bool operator==(const CodeCost&) const = default;
};

/// A value that the caller may read after a run.
struct Output {
  std::string port;
  Operand operand;
  Shape shape;
  bool operator==(const Output&) const = default;
};

/// The output of this port, or nullptr.
inline const Output* find_output(const std::vector<Output>& outputs, std::string_view port) {
  for (const Output& output : outputs)
    if (output.port == port) return &output;
  return nullptr;
}

/// Scalars, one a vertex, that make the loss; `labels` (an index list) tells which vertices have one, -1: all.
struct Loss {
  Operand operand;
  std::int32_t labels = -1;
  bool operator==(const Loss&) const = default;
};

/// The compiled form of one vertex function.
struct TypeProgram {
  Function function;                            // F and ∂F after all passes
  std::vector<Stage> stages;                    // of its nodes
  std::array<std::array<Code, 3>, 2> code;      // [forward, backward][Stage]
  std::array<std::array<CodeCost, 3>, 2> cost;  // of `code`
  std::vector<Tensor> tensors;
  std::vector<IndexRequest> indices;
  std::vector<Domain> partial_domains;  // domain 3 + i
  std::int32_t first_edge_slot = 0;     // children in earlier slots are no edges
  std::int32_t max_child_slots = 0;     // as the function was declared; kAnyChildren: any number
  static constexpr std::int32_t kAnyChildren = -1;
  std::vector<Loss> losses;
  std::vector<std::string> label_ports;  // of which a vertex has one if its losses count as labelled; empty: all do
  std::vector<Output> pushes, pull_gradients, push_gradients;
  bool random = false;     // has dropout
  bool is_static = false;  // of a network: has no gather of its own

  const Code& at(bool backward, Stage stage) const { return code[backward][static_cast<int>(stage)]; }
  const CodeCost& cost_at(bool backward, Stage stage) const { return cost[backward][static_cast<int>(stage)]; }
  bool operator==(const TypeProgram&) const = default;
};

/// Calls f(code, backward, stage) for all code of a type (const or not), F first, each in the order of its stages.
template <typename Type, typename F>
void each_code(Type& type, F f) {
  for (const bool backward : {false, true})
    for (const Stage stage : {Stage::kEager, Stage::kTask, Stage::kLazy})
      f(type.code[backward][static_cast<std::size_t>(stage)], backward, stage);
}

/// A named value that vertices scatter.
struct State {
  std::string name;
  std::int32_t width = 0;
  bool operator==(const State&) const = default;
};

/// Where ∂F of a type scatters gradients of a state: one segment of the state's gradient rows.
struct GradientSite {
  std::int32_t type;
  std::int32_t child;  // child number, -1: all children (one row an edge)
  std::int32_t index;  // TypeProgram::indices: rows of these children
  bool operator==(const GradientSite&) const = default;
};

/// A model compiled for training or inference. Immutable; shared by any number of sessions.
struct Program {
  std::vector<TypeProgram> types;
  std::vector<State> states;
  std::vector<std::vector<GradientSite>> sites;  // [states]
  std::vector<ParameterInfo> parameters;
  std::vector<Weight> weights;
  std::vector<GraphSchema::FloatPort> float_ports;  // StorageKind::kPull
  std::int32_t loops = 0;                           // element-wise instructions
  bool network = false;                             // its functions are connected (Model::is_network)
  std::uint64_t fingerprint = 0;                    // of what decides how vertices can be batched: see fingerprint_of
  CompileOptions options;
  Target target;                 // the machine that it was made for
  std::vector<std::string> log;  // what each pass did
  bool operator==(const Program&) const = default;
};

}  // namespace cavs
