#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cavs/compile.h"
#include "cavs/graph.h"
#include "cavs/optimizer.h"
#include "cavs/parameters.h"
#include "cavs/session_options.h"
#include "cavs/version.h"

namespace cavs::inline v0_1 {
class BoundGraphs;
namespace detail {
struct SessionAccess;
}  // namespace detail
}  // namespace cavs::inline v0_1

namespace cavs {
inline namespace CAVS_API v0_1 {

/// Matches a program and a data set by the names of types and ports, and checks every id once. The result refers to
/// both.
/// @throws UserError naming the type, port, state or vertex that does not fit. Cost: linear in the data set.
std::shared_ptr<const BoundGraphs> bind_graphs(std::shared_ptr<const Program> program, const GraphSet& graphs);
std::shared_ptr<const BoundGraphs> bind_graphs(std::shared_ptr<const Program> program,
                                               const GraphSet&& graphs) = delete;  // would not outlive them
/// The same, keeping the graphs alive.
/// @param run_ports  float ports of vertices whose rows each forward brings (ForwardOptions::pulls). The graphs need
/// not have these ports; rows of the graphs are not read. Every vertex then counts as having a row.
std::shared_ptr<const BoundGraphs> bind_graphs(std::shared_ptr<const Program> program,
                                               std::shared_ptr<const GraphSet> graphs,
                                               std::vector<std::string> run_ports = {});

/// A kind of kernels of engine kBatched on a GPU, and names for them.
enum class KernelKind : std::uint8_t {
  kProduct,
  kLoop,  // element-wise
  kRows,  // operators that work row by row or by element, and gathers
  kWeightGradient,
  kSumRows,
  kLookupGradient,
  kSoftmax,  // over words, by tiles
  kUpdate,
};
inline constexpr std::array<std::string_view, 8> kKernelKinds{
    "product", "loop", "rows", "weight gradient", "sum rows", "lookup gradient", "softmax", "update"};

/// Counts and times of the kernels of one kind in a run.
struct KernelWork {
  double launches = 0, flops = 0;
  double tile_bytes = 0;    // that tiles of products and other blocks read and write, from and to the L2 at least
  double bytes = 0;         // of operands, each once per launch, of parameters that products read once per run
  double ms = 0;            // by the GPU's clock
  double predicted_ms = 0;  // by a model of a GPU: launches, and the slowest of arithmetic, L2 and memory
};
using KernelWorks = std::array<KernelWork, kKernelKinds.size()>;

/// The most that a GPU could do; 0: it does not say. The L2 has what kernels have been seen to reach.
struct DevicePeaks {
  int processors = 0;
  double gflops = 0, l2_gbytes = 0, memory_gbytes = 0;  // of fp32 without tensor cores; per second
};

/// Where the time of a run went (milliseconds), and what it did.
struct RunStatistics {
  double pack_ms = 0, schedule_ms = 0, plan_ms = 0;
  double script_ms = 0;                  // what the engine makes of the plan: who does what
  double unprepared_ms = 0;              // the caller waited for all of that
  double memory_ms = 0, compute_ms = 0;  // told apart with SessionOptions::profile; else all counts as compute_ms
  std::int64_t vertices = 0, edges = 0, tasks = 0, instructions = 0;
  std::int64_t fallbacks = 0;      // tasks for which policy "fsm" had no rule
  std::int64_t streamed_rows = 0;  // rows of lazy steps that were streamed (SessionOptions::streaming)
  std::int64_t bytes_moved = 0;    // by gathers, scatters, pulls, pushes that are not views
  double flops = 0;
  // On a GPU: the host launched, and waited for the GPU; with SessionOptions::profile, the GPU computed, and before
  // that had nothing to do, since the host was late.
  double launch_ms = 0, wait_ms = 0, gpu_ms = 0, gpu_idle_ms = 0;
  // On a GPU: launches of single kernels, launches of graphs, and the kernels in these graphs.
  std::int64_t launches = 0, graph_launches = 0, graph_nodes = 0;
  KernelWorks kernels = {};  // with SessionOptions::time_kernels
  // Of the weights that products read: if each product read them from memory, and if each weight were read once.
  std::int64_t weight_bytes = 0, weight_bytes_once = 0;
  /// Bytes of weights that all products loaded, and those of tasks alone, counted while they run, with
  /// SessionOptions::profile. Each pass over a weight is a load.
  std::int64_t loaded_weight_bytes = 0, loaded_task_weight_bytes = 0;
};

/// Rows of a float port in the caller's memory, which must stay as it is as long as the run.
struct RunPull {
  std::string port;
  std::span<const float> values;  // [vertices of the run, width] in the order of Run::output
};

/// What a run is told besides its samples.
struct ForwardOptions {
  std::uint32_t epoch = 0;  // selects dropout masks, and nothing else
  /// What the sum of all losses is divided by, in the loss and so in its gradients; 0: the number of samples. A caller
  /// who splits a minibatch into several runs, or among processes, gives all of them the number of all samples.
  double loss_divisor = 0;
  std::vector<RunPull> pulls = {};  // one for each of the run_ports of bind_graphs, and no other
};

/// One evaluation of a minibatch. A run keeps its values as long as it exists, and several may exist at a time. It
/// keeps alive the part of its session that it needs, and the graphs if they came from bind_graphs(). Not thread-safe.
class Run {
 public:
  struct State;  // of the implementation
  Run(Run&&) noexcept = default;
  Run& operator=(Run&&) noexcept;
  ~Run();

  /// The sum of the losses of all vertices, divided by ForwardOptions::loss_divisor.
  double loss() const;
  /// Number of labels (Vertex::loss says which vertices count), and the sum of all losses divided by it.
  std::int64_t labels() const;
  double mean_loss() const;
  /// Width of a push port; @throws UserError with the known ports.
  int width(const std::string& port) const;
  /// Values of a push port: [vertices, width] in the order of (sample, vertex); zeros for types that do not push.
  std::vector<float> output(const std::string& port) const;
  /// Into the caller's memory. @throws UserError if it has another size.
  void output(const std::string& port, std::span<float> values) const;
  /// The same without a copy: a pointer to each vertex's row of `width` numbers; nullptr for types that do not push.
  /// Valid as long as the run.
  std::vector<const float*> rows(const std::string& port) const&;
  std::vector<const float*> rows(const std::string& port) const&& = delete;
  /// The same of the listed vertices alone, numbered as in output(): of what is in the memory of a GPU, no more than
  /// the rows from the first to the last of them is copied. @throws UserError for a vertex that there is not.
  std::vector<const float*> rows(const std::string& port, std::span<const std::int32_t> vertices) const&;
  std::vector<const float*> rows(const std::string& port, std::span<const std::int32_t> vertices) const&& = delete;
  /// The values of a state that vertices scatter: [vertices, width], as output(). Zeros for types that do not scatter
  /// it. A state that no vertex gathers is not kept; push it to read it.
  /// @throws UserError with the known states.
  std::vector<float> state(const std::string& name) const;
  /// Into the caller's memory. @throws UserError if it has another size.
  void state(const std::string& name, std::span<float> values) const;
  /// Width of a state; @throws UserError with the known states.
  int state_width(const std::string& name) const;
  /// First vertex of each sample in output(): [samples + 1].
  std::span<const std::int32_t> sample_begin() const&;
  std::span<const std::int32_t> sample_begin() const&& = delete;
  /// An index port of the data set for the vertices of this run, in the same order.
  std::vector<std::int32_t> index(const std::string& port) const;

  /// The gradient of the loss with respect to a push port, in the layout of output().
  struct PushGradient {
    std::string port;
    std::span<const float> values;
  };
  /// Computes the gradients of the parameters; `pushes` adds those of push ports. With `defer_weights`, those of large
  /// weights that are sums of few rows are left to the Session::update that follows (Gradients::deferred). It computes
  /// them when it needs them, which saves writing them to memory and reading them again.
  /// @throws UserError for gradients of other parameters than the session's, naming the first difference.
  void backward(Gradients& gradients, std::span<const PushGradient> pushes = {}, bool defer_weights = false);
  /// After backward: gradient of a pulled port, [vertices, width]. @throws UserError before it.
  std::vector<float> pull_gradient(const std::string& port) const;
  /// Into the caller's memory. @throws UserError if it has another size.
  void pull_gradient(const std::string& port, std::span<float> values) const;

  const RunStatistics& statistics() const;
  /// "value 'c' (%12 = add) of vertex function 'tree_lstm', sample 17, vertex 3 is nan", or "" where all are finite.
  std::string find_not_finite() const;

 private:
  friend class Session;
  friend struct detail::SessionAccess;
  explicit Run(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;  // owns the session's inner part, of which it is a part
};

/// What Session::update does with the gradients before the optimiser takes them.
struct UpdateOptions {
  double clip_norm = 0;  // scales all gradients down so that their norm is at most this; 0: no clipping
  /// Whether UpdateResult::gradient_norm is wanted without clipping, too. Cost of the norm of deferred gradients: up to
  /// a tenth of a small training step.
  bool norm = true;
};

/// What Session::update found.
struct UpdateResult {
  /// Of all gradients together but those of frozen parameters, before clipping; NaN where it was not wanted.
  double gradient_norm = 0;
  bool updated = true;  // false: a gradient is not finite, and nothing was changed
};

/// Runs a program on a team of threads, which it owns. Not thread-safe: one thread at a time may use it and its runs.
class Session {
 public:
  struct Impl;  // of the implementation
  /// @throws UserError for an unknown engine or policy, a thread count below 1, or parameters of another model than the
  /// program's, naming the first difference.
  Session(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters, SessionOptions options = {});
  /// Shares the program, parameters and packed weights of `other`: for inference in several threads, each with a
  /// session of its own. May outlive `other`. @throws UserError as above, for a program that was compiled for training,
  /// or for another engine or precision.
  Session(const Session& other, SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Evaluates the samples (their numbers in the data set) as one minibatch. @throws UserError for no samples, a number
  /// out of range, graphs bound to another program, pulls that are not those that the graphs were bound with, a wrong
  /// loss_divisor, or more memory than the limit.
  Run forward(const BoundGraphs& graphs, std::span<const std::int32_t> samples, const ForwardOptions& options);
  Run forward(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch = 0) {
    return forward(graphs, samples, ForwardOptions{.epoch = epoch});
  }

  /// Announces the samples of the next forward. With more than one thread, packing, scheduling and planning them
  /// overlaps the current run.
  void prefetch(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch = 0);

  /// Updates the parameters with the gradients of `run`, on all threads: norm, clipping and a step of the optimiser.
  /// Weights that the engine keeps in a form of its own are changed there. The bits are the same for any number of
  /// threads, and those of Optimizer::step; on a GPU, which updates gradients that are there, its own.
  /// @param gradients  what the run's backward wrote (deferred ones, too), or the caller's own. The caller may have
  /// changed their values (Gradients::flat) and table_rows, for example to sum them over processes.
  /// @throws UserError for gradients or an optimiser of other parameters, gradients that another run's backward
  /// deferred, or deferred gradients with clipping, which needs their values first.
  UpdateResult update(Run& run, Gradients& gradients, Optimizer& optimizer, const UpdateOptions& options = {});
  /// The same with gradients that no backward of this session has written, such as those of other processes.
  UpdateResult update(Gradients& gradients, Optimizer& optimizer, const UpdateOptions& options = {});

  /// Bytes that a run of these samples needs. Packs, schedules and plans them to find out; drops what was prefetched.
  std::int64_t memory(const BoundGraphs& graphs, std::span<const std::int32_t> samples);
  int threads() const;
  /// The engine.
  EngineKind engine() const;
  /// Lines about the device: the name of the GPU, and which memory keeps which weights. Empty on the CPU.
  std::vector<std::string> describe() const;
  /// The peaks of the GPU; zeros on the CPU.
  DevicePeaks peaks() const;
  /// The precision of products: kBf16 only if it was asked for and the processor has the instructions.
  Precision precision() const;

 private:
  friend struct detail::SessionAccess;
  std::shared_ptr<Impl> impl_;
};

}  // namespace v0_1
}  // namespace cavs
