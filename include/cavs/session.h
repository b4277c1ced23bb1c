#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/graph.h"
#include "cavs/model.h"
#include "cavs/parameters.h"

namespace cavs {

struct Program;
struct LearnedPolicy;
class BoundGraphs;

struct CompileOptions {
  bool training = true;         // derive ∂F and keep dropout
  bool pull_gradients = false;  // make Run::pull_gradient available
  bool push_gradients = false;  // backward accepts gradients of pushes; always so if there is no loss
  bool loss = true;             // false: only pushes are computed, and labels need not be in the data
  // Push ports to compute; what only other ports need is not computed or not kept. Absent: all.
  std::optional<std::vector<std::string>> pushes = std::nullopt;
  std::vector<std::string> disabled_passes = {};  // see `cavs inspect`
};

/// Compiles a model. The result is immutable and shared by any number of sessions and threads.
/// @throws UserError for a model without functions, an unknown pass or push port, a state that no function scatters.
std::shared_ptr<const Program> compile(const Model& model, const CompileOptions& options = {});

/// Matches a program and a data set by the names of types and ports, and checks every id once. The result refers to
/// both.
/// @throws UserError naming the type, port, state or vertex that does not fit. Cost: linear in the data set.
std::shared_ptr<const BoundGraphs> bind_graphs(std::shared_ptr<const Program> program, const GraphSet& graphs);
std::shared_ptr<const BoundGraphs> bind_graphs(std::shared_ptr<const Program> program,
                                               const GraphSet&& graphs) = delete;  // would not outlive them

struct SessionOptions {
  int threads = 1;                 // number of busy threads, the caller's included
  std::string engine = "batched";  // batched, reference (one vertex at a time, plain loops, float64)
  // frontier (= depth), agenda, ratio, serial, fsm (as `learned` says) or fsm:FILE, see cavs/policy.h.
  std::string policy = "frontier";
  std::shared_ptr<const LearnedPolicy> learned = nullptr;  // of policy "fsm"
  // fp32, or bf16: operands of products are rounded, sums, states and all else stay fp32, as do the parameters. Needs a
  // processor with AMX or AVX-512 for it; elsewhere fp32 is used, see Session::precision.
  std::string precision = "fp32";
  // While one worker runs small tasks, the others run lazy rows: on, off, auto (in inference, where both are at least
  // an eighth of the work; not with more threads than processors, nor where tasks run side by side). Changes no bit.
  std::string streaming = "auto";
  // Orders the rows of a task as later tasks gather them, so that more gathers read contiguous rows. Costs about 15 ns
  // a vertex (docs/measurements/layout.md). Outputs keep their bits; sums over rows, such as gradients, do not.
  bool order_rows = false;
  // Smallest weight, in elements, whose gradient may be computed by the update instead of backward (Run::backward).
  std::int64_t defer_from = 1 << 18;
  std::int64_t memory_limit = 0;  // bytes of one run; 0: 90 % of the memory that is available
  std::uint64_t seed = 1;         // of dropout
  bool profile = false;           // measure the time of each kind of instruction
};

/// Where the time of a run went (milliseconds), and what it did.
struct RunStatistics {
  double pack_ms = 0, schedule_ms = 0, plan_ms = 0;
  double memory_ms = 0, compute_ms = 0;  // with SessionOptions::profile; else all of it is compute
  std::int64_t vertices = 0, edges = 0, tasks = 0, instructions = 0;
  std::int64_t fallbacks = 0;      // tasks for which policy "fsm" had no rule
  std::int64_t streamed_rows = 0;  // rows of lazy steps that were streamed (SessionOptions::streaming)
  std::int64_t bytes_moved = 0;    // by gathers, scatters, pulls, pushes that are not views
  double flops = 0;
};

/// One evaluation of a minibatch. Keeps its values as long as it exists; several may exist at a time. Belongs to its
/// session and must not outlive it. Not thread-safe.
class Run {
 public:
  struct State;  // of the implementation
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  /// Sum over vertices divided by the number of samples.
  double loss() const;
  /// Number of labels (Vertex::loss says which vertices count), and the sum of all losses divided by it.
  std::int64_t labels() const;
  double mean_loss() const;
  /// Width of a push port; @throws UserError with the known ports.
  int width(const std::string& port) const;
  /// Values of a push port: [vertices, width] in the order of (sample, vertex); zeros for types that do not push.
  std::vector<float> output(const std::string& port) const;
  /// The same without a copy: a pointer to each vertex's row of `width` numbers; nullptr for types that do not push.
  /// Valid as long as the run.
  std::vector<const float*> rows(const std::string& port) const&;
  std::vector<const float*> rows(const std::string& port) const&& = delete;
  /// First vertex of each sample in output(): [samples + 1].
  std::span<const std::int32_t> sample_begin() const&;
  std::span<const std::int32_t> sample_begin() const&& = delete;
  /// An index port of the data set for the vertices of this run, in the same order.
  std::vector<std::int32_t> index(const std::string& port) const;

  /// Computes the gradients of the parameters. `pushes`: gradients of push ports, in the layout of output().
  struct PushGradient {
    std::string port;
    std::span<const float> values;
  };
  /// With `defer_weights`, gradients of large weights that sum few rows are left to the update that follows
  /// (Gradients::deferred, Session::begin_update), which computes them when it needs them. Saves one write and one
  /// read.
  /// @throws UserError for gradients of other parameters than the session's, naming the first difference.
  void backward(Gradients& gradients, std::span<const PushGradient> pushes = {}, bool defer_weights = false);
  /// After backward: gradient of a pulled port, [vertices, width]. @throws UserError before it.
  std::vector<float> pull_gradient(const std::string& port) const;

  const RunStatistics& statistics() const;
  /// "value 'c' (%12 = add) of vertex function 'tree_lstm', sample 17, vertex 3 is nan", or "" where all are finite.
  std::string find_not_finite() const;

 private:
  friend class Session;
  explicit Run(State* state) : state_(state) {}
  State* state_;
};

/// Runs a program: owns a team of worker threads and the memory of its runs. Sessions may share parameters.
class Session {
 public:
  struct Impl;  // of the implementation
  /// @throws UserError for an unknown engine or policy, a thread count below 1, or parameters of another model than the
  /// program's, naming the first difference.
  Session(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters, SessionOptions options = {});
  /// Shares the program, parameters and packed weights of `other`: for inference in several threads, each with a
  /// session of its own. May outlive `other`. @throws UserError as above, for a program that was compiled for training,
  /// or for another precision.
  Session(const Session& other, SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Evaluates the samples (by their numbers in the data set) as one minibatch. `epoch` only selects dropout masks.
  /// @throws UserError if the run needs more memory than the limit; the message lists the largest values.
  Run forward(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch = 0);

  /// Announces the samples of the next forward. With more than one thread, packing, scheduling and planning them
  /// overlaps the current run.
  void prefetch(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch = 0);

  /// Runs f(worker, workers) on every thread of the team.
  void parallel(const std::function<void(int worker, int workers)>& f);

  /// Access to the matrices for an update inside parallel(); packed weights and their transposed copies are changed in
  /// place. Call end_update() when the update is done and the parameters are touched: the next forward then does not
  /// pack again what was changed completely.
  ParameterRows& begin_update();
  /// The same where `run` has deferred some of the gradients; it and its graphs must live until end_update().
  /// @throws UserError if another backward deferred them.
  ParameterRows& begin_update(Run& run, const Gradients& gradients);
  void end_update();

  /// Bytes of memory that a run of these samples needs.
  std::int64_t memory(const BoundGraphs& graphs, std::span<const std::int32_t> samples);
  int threads() const;
  /// The precision of products: "bf16" only if it was asked for and the processor has the instructions.
  std::string_view precision() const;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace cavs
