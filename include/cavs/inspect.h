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

/// Prints models, programs, minibatches and data as text, JSON, graphs for Graphviz (DOT) or drawings (SVG). Content
/// and form may change with each version.
namespace inspect {

/// An operator that vertex functions may use.
struct OperatorInfo {
  std::string name;
  std::vector<std::string> inputs;
  bool variadic = false;  // true if more inputs like the last may follow
  std::string doc;
  bool has_value = false;      // true if the operator returns a value, so that apply_op accepts it
  Attributes attributes = {};  // the default attributes, of the type that apply_op expects
};
/// All operators of the library, in the order of `cavs ops`.
std::vector<OperatorInfo> operators();

/// Describes a value of the vertex function that is being declared, as "%3 = add(%1, %2) [4], vertex".
std::string to_text(const Value& value);
/// Prints the user-defined operators, then the vertex functions as declared, one line per value.
std::string to_text(const Model& model);
/// A drawing of one vertex function, with a box per value below the boxes of its operands.
/// @throws UserError for more than 1,000 values.
std::string to_svg(const Model& model, std::size_t function);

/// The names of a program's vertex functions.
std::vector<std::string> functions(const Program& program);
/// Prints the forward program F and, if compiled for training, the backward program ∂F: one line per value with its
/// shape, its domain, and when it is computed.
/// @param model  The model that the program was compiled from.
std::string to_text(const Program& program, const Model& model);
std::string to_text(const Program& program, std::size_t function);
/// {"passes": [...], "functions": [...]}
std::string to_json(const Program& program);
std::string to_dot(const Program& program);
std::string to_dot(const Program& program, std::size_t function);
/// @param gradient  True to include ∂F. @throws UserError for more than 1,000 values.
std::string to_svg(const Program& program, std::size_t function, bool gradient = false);
/// Prints the instructions that engines run: after fusion, in order, with the storage of their values.
std::string instructions_to_text(const Program& program);

/// An order of the values of F in memory that saves copies, and the copies that remain (ED-Batch, section 3).
struct Layout {
  std::string text, json;
};
Layout layout(const Program& program);

/// Options of place(), which assigns the weights that tasks read to processors that keep weights on chip (VPPS).
struct PlacementOptions {
  std::string target = "cpu";  // one of placement_targets()
  int processors = 2;          // number of cores, for target "cpu"
  Precision precision = Precision::kFp32;
};
struct Placement {
  std::string text, json;
  bool has_weights = false;  // true if tasks read weights
  bool fits = false;         // true if all weights that tasks read are kept on chip
};
/// "cpu", and GPU architectures such as "sm_90".
std::vector<std::string> placement_targets();
/// @throws UserError for an unknown target.
Placement place(const Model& model, const CompileOptions& compiled, const PlacementOptions& options);

/// A matrix product of a minibatch, with its actual number of rows.
struct Product {
  enum class Kind : std::uint8_t {
    kForward,         // x W: y[rows, n] = x[rows, k] * w
    kBackward,        // dy W^T: like kForward, with the transpose of a parameter
    kWeightGradient,  // x^T dy: dw[k, n]
  };
  Kind kind = Kind::kForward;
  std::int32_t parameter = -1;          // number of the parameter W; -1 for kWeightGradient
  std::int32_t rows = 0, k = 0, n = 0;  // sizes in the formulas of Kind

  double flops() const { return 2.0 * rows * k * n; }
  bool operator==(const Product&) const = default;
};

/// Bytes of weights that products load from main memory.
struct WeightLoads {
  std::int64_t bytes = 0, task_bytes = 0;  // loads by all products; loads by the products of tasks alone
  bool operator==(const WeightLoads&) const = default;
};

/// A scheduled minibatch, as a session would evaluate it.
class ScheduledBatch {
 public:
  struct Task {
    std::string type;           // vertex type
    std::int32_t vertices = 0;  // number of vertices in the task
  };
  /// @param policy, learned  As in SessionOptions. @throws UserError for no samples, a number out of range, and for the
  /// policy as Session does.
  ScheduledBatch(std::shared_ptr<const Program> program, std::shared_ptr<const BoundGraphs> graphs,
                 std::span<const std::int32_t> samples, const std::string& policy = "frontier",
                 const LearnedPolicy* learned = nullptr);

  std::vector<Task> tasks() const;
  std::int64_t vertices() const;
  /// A lower bound on the number of tasks of any policy.
  std::int64_t lower_bound() const;
  /// Number of tasks for which policy "fsm" had no rule.
  std::int64_t fallbacks() const;
  /// Bytes of all values.
  std::int64_t memory() const;

  /// The matrix products in order of execution, without products that have no rows.
  std::vector<Product> products() const;

  /// One line per task.
  std::string to_text() const;
  /// {"tasks": N, "lower_bound": N, "vertices": N, "memory_bytes": N, "steps": [{"type": ..., "vertices": N}, ...],
  /// "fallbacks": N}
  std::string to_json() const;
  std::string vertices_to_text() const;
  /// The offset of each tensor.
  std::string memory_to_text() const;
  /// The graphs of the minibatch in DOT and as a drawing. Every vertex shows the number and the colour of its task.
  /// @throws UserError for more than 1,000 vertices.
  std::string to_dot() const;
  std::string to_svg(const std::string& title) const;
  /// Prints the script of the minibatch: the work of each persistent processor (VPPS), here a core of this machine.
  /// @throws UserError for fewer than 1 processor.
  std::string script_to_text(int processors) const;
  /// Validates the script. @throws UserError for fewer than 1 processor; InternalError naming a race or a deadlock.
  void check_script(int processors) const;
  /// Counts the weights that the processors of the script would load. A processor loads its units (groups of columns)
  /// of a weight once per block of rows of a product. A unit that it keeps on chip is loaded once per minibatch,
  /// because the preceding update has changed it. @throws UserError for fewer than 1 processor.
  WeightLoads script_loads(int processors, Precision precision = Precision::kFp32) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// Seconds that a policy needs to schedule a minibatch: the best of ten runs. Arguments and errors are those of
/// ScheduledBatch.
double scheduling_seconds(const Program& program, const BoundGraphs& graphs, std::span<const std::int32_t> samples,
                          const std::string& policy, const LearnedPolicy* learned = nullptr);

/// Runs matrix products as bare kernel calls on the threads of a CPU session, to measure an upper bound on its speed.
/// The kernels and the division of work among threads are those of the session. Weights are already packed, operands
/// are contiguous and recently used, and no thread waits for another.
class BareProducts {
 public:
  /// Allocates memory for the products of these minibatches. The session must outlive this object.
  /// @throws UserError unless the session has engine kBatched.
  BareProducts(Session& session, std::span<const std::vector<Product>> minibatches);
  ~BareProducts();

  /// Runs the products of one kind of minibatch number `minibatch`. @throws UserError for a number out of range.
  void run(std::size_t minibatch, Product::Kind kind);
  /// Runs multiply-adds on registers for about a millisecond on every thread.
  void run_on_registers();
  /// Gflop/s of run_on_registers: the sum of each thread's best run; 0 before the first run. Measured in processor time
  /// per thread, so it also holds if the machine cannot run all threads at once.
  double peak_gflops() const;
  /// The instruction set of the products, such as "avx512" or "amx".
  std::string_view instructions() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A summary of a data set: sizes, types, ports, classes, and anything suspicious. Does not read the samples of a
/// stream. Cost: linear in vertices.
std::string to_text(const Dataset& data);
std::string to_json(const Dataset& data);
/// Names of the classes; empty if classes are numbers.
std::vector<std::string> names_of_classes(const Dataset& data);

/// Texts to show next to the vertices of a drawing.
struct VertexNotes {
  std::vector<std::string> words;          // [vertices]; empty if the vertex has no word
  std::vector<std::int32_t> predictions;   // [vertices]: predicted class; -1 means none
  std::vector<std::int32_t> labels;        // [vertices]: true class; -1 means none
  std::vector<std::string> class_names{};  // [classes]; a class beyond the end is shown as its number

  std::string class_text(std::int32_t c) const;
};
/// The words and labels of a sample. @throws UserError for a number out of range, like the functions below.
/// @param tree  The sample's tree, which has the words as read; if null, words are looked up by id.
VertexNotes notes_of(const GraphSet& graphs, std::int32_t sample, const Vocabulary& words, const Tree* tree = nullptr);
/// A sample as text for a terminal, one line per vertex, with roots at the left. "9 ✓" is a right prediction, "7 ✗ 4" a
/// wrong one; ": 4" is a label.
std::string to_text(const GraphSet& graphs, std::int32_t sample, const VertexNotes& notes);
/// A sample as an SVG drawing, with roots at the top. @throws UserError for more than 1,000 vertices.
std::string to_svg(const GraphSet& graphs, std::int32_t sample, const VertexNotes& notes);

/// The ports of the data that have a value but are read by no vertex function and no connection of the model.
std::vector<std::string> unused_ports(const Model& model, const GraphSet& graphs);

}  // namespace inspect
}  // namespace v0_1
}  // namespace cavs
