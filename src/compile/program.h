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

/// A dynamic tensor (Cavs, section 3.3), with the rows of `domain`. A tensor that spans tasks has rows for all of them;
/// other tensors are used inside one task only and have rows for the largest. A tensor of a tile has at most `max_rows`
/// rows. A tensor that only one row group uses gets no memory in the arena: workers keep a block of it in their tiles.
struct Tensor {
  std::string name;
  std::int32_t width = 0;
  DomainId domain = kVertexRows;
  bool spans_tasks = false;
  std::int32_t max_rows = 0;  // largest number of rows (of a tile), or 0 for no limit
  /// Number of the state whose gathered gradients the tensor holds, if its readers could instead read the rows that the
  /// parents scattered, through a list of rows. Otherwise -1.
  std::int32_t gathers = -1;
  std::int32_t tile = -1;  // first column in the row group's tile, or -1 if the tensor is in the arena
  bool is_factor = false;  // true if a product reads it and only instructions write it
  bool operator==(const Tensor&) const = default;
};

/// Weights that products read. They are packed side by side again after each change of the parameters. If `gate` is not
/// 0, each consists of gates with `gate` columns, and the same columns of all gates are adjacent (interleaved).
struct Weight {
  std::vector<std::int32_t> parameters;
  bool transposed = false;
  std::int32_t gate = 0;
  bool operator==(const Weight&) const = default;
};

/// Cost of one code (the instructions of a type, direction and stage). It decides whether workers share a step, and
/// which part of the code can run in chunks of rows.
struct CodeCost {
  std::vector<double> flops;  // [domains] floating-point operations per row
  std::int32_t waits = 0;     // number of times that workers wait for each other if they share the step
  bool needs_team = false;    // true if it has sums over rows, which all workers compute together
  std::int32_t by_rows = 0;   // number of leading instructions that a worker can run on some vertices alone
  double row_flops = 0;       // flops of these leading instructions, per vertex
  bool operator==(const CodeCost&) const = default;
};

/// A named value that the caller may read after a run, such as a pushed value or a state.
struct Output {
  std::string port;
  Operand operand;
  Shape shape;
  bool operator==(const Output&) const = default;
};

/// Returns the output of port `port`, or nullptr if there is none.
inline const Output* find_output(const std::vector<Output>& outputs, std::string_view port) {
  for (const Output& output : outputs)
    if (output.port == port) return &output;
  return nullptr;
}

/// Scalars, one per vertex, whose sum is the loss. `labels` is the index list of labels: a vertex without a label has
/// no loss. If `labels` is -1, every vertex has a loss.
struct Loss {
  Operand operand;
  std::int32_t labels = -1;
  bool operator==(const Loss&) const = default;
};

/// The compiled form of one vertex function.
struct TypeProgram {
  Function declared;                            // the part of F that the caller wants, as declared, before any pass
  Function function;                            // F and ∂F after all passes
  std::vector<Stage> stages;                    // [nodes of `function`]
  std::array<std::array<Code, 3>, 2> code;      // [F, ∂F][stages]
  std::array<std::array<CodeCost, 3>, 2> cost;  // [F, ∂F][stages]
  std::vector<Tensor> tensors;
  std::vector<IndexRequest> indices;
  std::vector<Domain> partial_domains;  // partial_domains[i] has DomainId 3 + i
  std::int32_t first_edge_slot = 0;     // children with this number or a higher one are edges
  std::int32_t max_child_slots = 0;     // largest number of children as declared, or kAnyChildren
  static constexpr std::int32_t kAnyChildren = -1;
  std::vector<Loss> losses;
  LabelPorts label_ports;  // ports that decide how many labels a vertex has
  std::vector<Output> pushes, scatters, pull_gradients, push_gradients;
  bool random = false;  // true if it drops out features of vertices; random_edges: of edges
  bool random_edges = false;
  bool is_static = false;  // true if the function belongs to a network and gathers nothing

  const Code& at(bool backward, Stage stage) const { return code[backward][static_cast<int>(stage)]; }
  const CodeCost& cost_at(bool backward, Stage stage) const { return cost[backward][static_cast<int>(stage)]; }
  bool operator==(const TypeProgram&) const = default;
};

/// Calls f(code, backward, stage) for all code of a type (const or not): F first, then ∂F, each in the order of stages.
template <typename Type, typename F>
void each_code(Type& type, F f) {
  for (const bool backward : {false, true})
    for (const Stage stage : {Stage::kEager, Stage::kTask, Stage::kLazy})
      f(type.code[backward][static_cast<std::size_t>(stage)], backward, stage);
}

/// A named value that vertices scatter to their parents.
struct State {
  std::string name;
  std::int32_t width = 0;
  bool is_factor = false, gradient_is_factor = false;  // true if a product reads the state, or its gradient
  bool operator==(const State&) const = default;
};

/// A place where ∂F of a type scatters gradients of a state. Each place has one segment of the state's gradient rows.
struct GradientSite {
  std::int32_t type;
  std::int32_t child;  // number of the child, or -1 for all children (one row per edge)
  std::int32_t index;  // number in TypeProgram::indices of the list of these children's rows in the states
  DomainId domain;     // domain of the scattered rows: vertices, edges or distinct children
  bool operator==(const GradientSite&) const = default;
};

/// A model compiled for training or inference. It never changes, and any number of sessions may share it.
struct Program {
  std::vector<TypeProgram> types;
  std::vector<State> states;
  std::vector<std::vector<GradientSite>> sites;  // [states] gradient sites of the state
  std::vector<ParameterInfo> parameters;
  std::vector<Weight> weights;
  std::vector<GraphSchema::FloatPort> float_ports;  // [Operand::id of a kPull operand]
  std::int32_t loops = 0;                           // number of loops: element-wise instructions of all types
  bool connected = false;                           // true if the functions are connected (Model::is_network)
  bool push_gradients = false;                      // true if the caller gives gradients of pushes to ∂F
  std::uint64_t fingerprint = 0;                    // result of fingerprint_of()
  CompileOptions options;
  Target target;                 // the machine that the program is compiled for
  std::vector<std::string> log;  // what each pass did
  bool operator==(const Program&) const = default;
};

}  // namespace cavs::inline v0_1
