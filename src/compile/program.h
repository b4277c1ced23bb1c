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
#include "compile/instruction.h"
#include "compile/loss_labels.h"
#include "compile/stages.h"
#include "compile/target.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

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
  bool is_factor = false;  // a product reads it, and instructions alone write it
  bool operator==(const Tensor&) const = default;
};

/// Weights side by side that products read: packed once for each time the parameters change. Their columns are made of
/// gates of one width, whose same columns lie together; 0: they are not.
struct Weight {
  std::vector<std::int32_t> parameters;
  bool transposed = false;
  std::int32_t gate = 0;
  bool operator==(const Weight&) const = default;
};

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

/// Scalars, one per vertex, that make the loss; `labels` (an index list) tells which vertices have one, -1: all.
struct Loss {
  Operand operand;
  std::int32_t labels = -1;
  bool operator==(const Loss&) const = default;
};

/// The compiled form of one vertex function.
struct TypeProgram {
  Function declared;                            // F as it was declared, of what the caller wants, before any pass
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
  LabelPorts label_ports;  // what counts as labels of its losses
  std::vector<Output> pushes, scatters, pull_gradients, push_gradients;
  bool random = false;  // has dropout of vertices
  bool random_edges = false;
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
  bool is_factor = false, gradient_is_factor = false;  // a product reads it, or its gradient
  bool operator==(const State&) const = default;
};

/// Where ∂F of a type scatters gradients of a state: one segment of the state's gradient rows.
struct GradientSite {
  std::int32_t type;
  std::int32_t child;  // child number, -1: all children (one row an edge)
  std::int32_t index;  // TypeProgram::indices: rows of these children
  DomainId domain;     // vertices, edges, or distinct children: one row each
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
  bool connected = false;                           // its functions are (Model::is_network)
  bool push_gradients = false;                      // ∂F begins with gradients of pushes, which the caller gives
  std::uint64_t fingerprint = 0;                    // of what decides how vertices can be batched: see fingerprint_of
  CompileOptions options;
  Target target;                 // the machine that it was made for
  std::vector<std::string> log;  // what each pass did
  bool operator==(const Program&) const = default;
};

}  // namespace cavs::inline v0_1
