#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/attributes.h"
#include "cavs/compile.h"
#include "cavs/data.h"
#include "cavs/graph.h"
#include "cavs/model.h"
#include "cavs/policy.h"
#include "cavs/session_options.h"
#include "cavs/version.h"
#include "cavs/vocabulary.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

class Session;

/// Shows what the library makes of models, minibatches and data: as text, as JSON, as a graph for Graphviz (DOT), as a
/// drawing (SVG). Their content and form may change with each version.
namespace inspect {

/// An operator that vertex functions may use.
struct OperatorInfo {
  std::string name;
  std::vector<std::string> inputs;
  bool variadic = false;  // more inputs like the last may follow
  std::string doc;
  bool has_value = false;      // apply_op takes it
  Attributes attributes = {};  // of the type that apply_op expects for it
};
/// Those of the library, in the order in which `cavs ops` lists them.
std::vector<OperatorInfo> operators();

/// A value of the vertex function that is being declared: "%3 = add(%1, %2) [4], vertex".
std::string to_text(const Value& value);
/// The vertex functions as they were declared, a line for each value, below the operators of the user's own.
std::string to_text(const Model& model);
/// A drawing of one of them: a box for each value, above it what it is computed from.
/// @throws UserError for more than 1,000 values.
std::string to_svg(const Model& model, std::size_t function);

/// Names of a program's vertex functions.
std::vector<std::string> functions(const Program& program);
/// F and, where it is compiled for training, ∂F: a line for each value, with its shape, the rows that it has, and when
/// it is computed. @param model  of which the program was compiled
std::string to_text(const Program& program, const Model& model);
std::string to_text(const Program& program, std::size_t function);
/// {"passes": [...], "functions": [...]}
std::string to_json(const Program& program);
std::string to_dot(const Program& program);
std::string to_dot(const Program& program, std::size_t function);
/// @param gradient  with ∂F. @throws UserError for more than 1,000 values.
std::string to_svg(const Program& program, std::size_t function, bool gradient = false);
/// The code that runs: fused, ordered, with storage.
std::string instructions_to_text(const Program& program);

/// How the values of F lie in memory, and what is copied (ED-Batch, section 3).
struct Layout {
  std::string text, json;
};
Layout layout(const Program& program);

/// Where processors that keep weights on chip keep those of the tasks (VPPS).
struct PlacementOptions {
  std::string target = "cpu";  // one of placement_targets()
  int processors = 2;          // cores, of the target "cpu"
  Precision precision = Precision::kFp32;
};
struct Placement {
  std::string text, json;
  bool has_weights = false;  // that tasks read
  bool fits = false;         // all of them are kept
};
/// "cpu" and architectures of GPUs, such as "sm_90".
std::vector<std::string> placement_targets();
/// @throws UserError for an unknown target.
Placement place(const Model& model, const CompileOptions& compiled, const PlacementOptions& options);

/// A matrix product of a minibatch, with its real number of rows.
struct Product {
  enum class Kind : std::uint8_t {
    kForward,         // x W: y[rows, n] = x[rows, k] * w
    kBackward,        // dy W^T: the same by the transpose of a parameter
    kWeightGradient,  // x^T dy: dw[k, n]
  };
  Kind kind = Kind::kForward;
  std::int32_t parameter = -1;  // number of the weight W; -1 of kWeightGradient
  std::int32_t rows = 0, k = 0, n = 0;

  double flops() const { return 2.0 * rows * k * n; }
  bool operator==(const Product&) const = default;
};

/// Bytes of weights that products load from main memory.
struct WeightLoads {
  std::int64_t bytes = 0, task_bytes = 0;  // by all products; by those of tasks
  bool operator==(const WeightLoads&) const = default;
};

/// A minibatch as a session would evaluate it.
class ScheduledBatch {
 public:
  struct Task {
    std::string type;
    std::int32_t vertices = 0;
  };
  /// @param policy, learned  as in SessionOptions. @throws UserError for no samples, a number out of range, and as
  /// Session does for the policy.
  ScheduledBatch(std::shared_ptr<const Program> program, std::shared_ptr<const BoundGraphs> graphs,
                 std::span<const std::int32_t> samples, const std::string& policy = "frontier",
                 const LearnedPolicy* learned = nullptr);

  std::vector<Task> tasks() const;
  std::int64_t vertices() const;
  /// The fewest tasks that any policy can take.
  std::int64_t lower_bound() const;
  /// Tasks for which policy "fsm" had no rule.
  std::int64_t fallbacks() const;
  /// Bytes of all values.
  std::int64_t memory() const;

  /// The matrix products in the order in which they run, without those that have no rows.
  std::vector<Product> products() const;

  /// A line for each task.
  std::string to_text() const;
  /// {"tasks": N, "lower_bound": N, "vertices": N, "memory_bytes": N, "steps": [{"type": ..., "vertices": N}, ...],
  /// "fallbacks": N}
  std::string to_json() const;
  std::string vertices_to_text() const;
  /// Where each tensor lies.
  std::string memory_to_text() const;
  /// A graph, and a drawing with a colour and the number of its task at every vertex.
  /// @throws UserError for more than 1,000 vertices.
  std::string to_dot() const;
  std::string to_svg(const std::string& title) const;
  /// The script of persistent processors (VPPS), cores of this machine, for it. @throws UserError for fewer than one.
  std::string script_to_text(int processors) const;
  /// @throws UserError, or InternalError, naming a race or a deadlock of that script.
  void check_script(int processors) const;
  /// Counts the weights that the processors of that script would load. A product loads its units of a weight once for
  /// each block of rows. A unit that its owner keeps on chip is loaded once per minibatch, because the update before it
  /// has changed it. @throws UserError for fewer than 1 processor.
  WeightLoads script_loads(int processors, Precision precision = Precision::kFp32) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// Seconds that a policy takes to schedule a minibatch: the best of ten runs. Arguments and errors are those of
/// ScheduledBatch.
double scheduling_seconds(const Program& program, const BoundGraphs& graphs, std::span<const std::int32_t> samples,
                          const std::string& policy, const LearnedPolicy* learned = nullptr);

/// Runs products as bare calls of the kernels of a session on the CPU, on its threads, to measure how fast a step could
/// be: the kernels and shares are the session's, weights are packed already, operands are contiguous and have just been
/// used, and no thread waits for another.
class BareProducts {
 public:
  /// Takes memory for the products of these minibatches. The session must outlive it.
  /// @throws UserError unless the session has engine kBatched.
  BareProducts(Session& session, std::span<const std::vector<Product>> minibatches);
  ~BareProducts();

  /// Those of a minibatch, by its position, of one kind. @throws UserError for a position out of range.
  void run(std::size_t minibatch, Product::Kind kind);
  /// Multiply-adds on registers, for about a millisecond on every thread.
  void run_on_registers();
  /// Gflop/s of run_on_registers, of all threads together: the sum of each thread's best run. It is measured by the
  /// thread's processor time, so it also holds where the machine cannot run all threads at once. 0 before the first
  /// run.
  double peak_gflops() const;
  /// The instructions that the products are made of: "avx512", "amx".
  std::string_view instructions() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A data set in numbers: sizes, types, ports, classes, and what is odd. Cost: linear in its vertices. A stream's
/// samples are not read.
std::string to_text(const Dataset& data);
std::string to_json(const Dataset& data);
/// Names of the classes; empty where they are numbers.
std::vector<std::string> names_of_classes(const Dataset& data);

/// Texts beside the vertices of a drawing.
struct VertexNotes {
  std::vector<std::string> words;          // [vertices]; an empty one: none
  std::vector<std::int32_t> predictions;   // [vertices]; -1: none
  std::vector<std::int32_t> labels;        // [vertices]; -1: none
  std::vector<std::string> class_names{};  // of predictions and labels; where there is none, its number

  std::string class_text(std::int32_t c) const;
};
/// Words and labels of a sample. @throws UserError for a number out of range, as the functions below do. @param tree
/// that it was made of, for words as they were read; null: words by their ids
VertexNotes notes_of(const GraphSet& graphs, std::int32_t sample, const Vocabulary& words, const Tree* tree = nullptr);
/// A sample for the terminal, a line for each vertex, roots at the left. "9 ✓" and "7 ✗ 4" are predictions, the latter
/// wrong; ": 4" is a label.
std::string to_text(const GraphSet& graphs, std::int32_t sample, const VertexNotes& notes);
/// The same as a drawing, roots at the top. @throws UserError for more than 1,000 vertices.
std::string to_svg(const GraphSet& graphs, std::int32_t sample, const VertexNotes& notes);

/// The ports of the data that have a value somewhere and that no vertex function and no connection of the model reads.
std::vector<std::string> unused_ports(const Model& model, const GraphSet& graphs);

}  // namespace inspect
}  // namespace v0_1
}  // namespace cavs
