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
/// both the program and the data.
/// @throws UserError naming the type, port, state or vertex that does not fit. Cost: linear in the data set.
std::shared_ptr<const BoundGraphs> bind_graphs(std::shared_ptr<const Program> program, const GraphSet& graphs);
std::shared_ptr<const BoundGraphs> bind_graphs(std::shared_ptr<const Program> program,
                                               const GraphSet&& graphs) = delete;  // refuses a temporary
/// Like bind_graphs() above, but the result keeps the graphs alive.
/// @param run_ports  Float ports of vertices whose rows each forward pass supplies (ForwardOptions::pulls). The graphs
/// need not have these ports, and their rows for them are not read. Every vertex counts as having a row for them.
std::shared_ptr<const BoundGraphs> bind_graphs(std::shared_ptr<const Program> program,
                                               std::shared_ptr<const GraphSet> graphs,
                                               std::vector<std::string> run_ports = {});

/// Kinds of kernels of engine kBatched on a GPU, and their names.
enum class KernelKind : std::uint8_t {
  kProduct,
  kLoop,  // element-wise operators
  kRows,  // row-wise and element-wise operators, and gathers
  kWeightGradient,
  kSumRows,
  kLookupGradient,
  kSoftmax,  // softmax over a vocabulary, computed tile by tile
  kUpdate,
};
inline constexpr std::array<std::string_view, 8> kKernelKinds{
    "product", "loop", "rows", "weight gradient", "sum rows", "lookup gradient", "softmax", "update"};

/// Counts and times of the kernels of one kind in a run.
struct KernelWork {
  double launches = 0, flops = 0;
  double tile_bytes = 0;    // bytes that the kernels' tiles and blocks read and write, in the L2 cache or memory
  double bytes = 0;         // bytes of operands, counted once per launch, and of weights, counted once per run
  double ms = 0;            // time that the GPU's clock measured
  double predicted_ms = 0;  // time by a cost model: launches, plus the slowest of arithmetic, L2 cache and memory
};
using KernelWorks = std::array<KernelWork, kKernelKinds.size()>;

/// Peak rates of a GPU; 0 if unknown. The L2 rate is the highest that kernels were measured to reach.
struct DevicePeaks {
  int processors = 0;                                   // number of streaming multiprocessors
  double gflops = 0, l2_gbytes = 0, memory_gbytes = 0;  // all per second; gflops is fp32 without tensor cores
};

/// Times of a run in milliseconds, and counts of its work.
struct RunStatistics {
  double pack_ms = 0, schedule_ms = 0, plan_ms = 0;
  double script_ms = 0;                  // time to assign the steps of the plan to threads or processors
  double unprepared_ms = 0;              // time that the caller waited for packing, schedule, plan and script
  double memory_ms = 0, compute_ms = 0;  // separate only with SessionOptions::profile; else all in compute_ms
  std::int64_t vertices = 0, edges = 0, tasks = 0, instructions = 0;
  std::int64_t fallbacks = 0;      // tasks for which policy "fsm" had no rule
  std::int64_t streamed_rows = 0;  // rows of lazy values that were computed during tasks (Streaming)
  std::int64_t bytes_moved = 0;    // bytes that gathers, scatters, pulls and pushes have copied
  double flops = 0;
  // On a GPU: time in which the host launched kernels and waited for the GPU. With SessionOptions::profile, also the
  // time in which the GPU computed, and in which it was idle because the host was late.
  double launch_ms = 0, wait_ms = 0, gpu_ms = 0, gpu_idle_ms = 0;
  // On a GPU: launches of single kernels, launches of CUDA graphs, and the kernels in these CUDA graphs.
  std::int64_t launches = 0, graph_launches = 0, graph_nodes = 0;
  KernelWorks kernels = {};  // by KernelKind; only with SessionOptions::time_kernels
  // Bytes of weights to load if every product loads its weight, and if every weight is loaded only once.
  std::int64_t weight_bytes = 0, weight_bytes_once = 0;
  /// Bytes of weights that all products have loaded, and that the products of tasks have loaded. Counted only with
  /// SessionOptions::profile; each pass over a weight counts as a load.
  std::int64_t loaded_weight_bytes = 0, loaded_task_weight_bytes = 0;
};

/// Rows of a float port in the caller's memory, which must stay unchanged while the run exists.
struct RunPull {
  std::string port;
  std::span<const float> values;  // [vertices of the run, width] in the order of Run::output
};

/// Arguments of a forward pass besides its samples.
struct ForwardOptions {
  std::uint32_t epoch = 0;  // number that selects the dropout masks; it has no other effect
  /// Divisor of the sum of all losses, in the loss and its gradients; 0 means the number of samples. To split a
  /// minibatch into several runs, or among processes, pass the total number of samples to each run.
  double loss_divisor = 0;
  std::vector<RunPull> pulls = {};  // exactly one for each of the run_ports of bind_graphs
};

/// One evaluation of a minibatch. A run owns its values, and several runs may exist at a time. A run keeps alive the
/// part of its session that it needs, and the graphs that bind_graphs() keeps alive. Not thread-safe.
class Run {
 public:
  struct State;  // defined in the implementation
  Run(Run&&) noexcept = default;
  Run& operator=(Run&&) noexcept;
  ~Run();

  /// The sum of the losses of all vertices, divided by ForwardOptions::loss_divisor.
  double loss() const;
  /// Number of labels (Vertex::loss says which vertices count).
  std::int64_t labels() const;
  /// The sum of all losses divided by labels().
  double mean_loss() const;
  /// Width of a push port; @throws UserError with the known ports.
  int width(const std::string& port) const;
  /// Values of a push port: [vertices, width] in the order of (sample, vertex); zeros for types that do not push.
  std::vector<float> output(const std::string& port) const;
  /// Writes into the caller's memory. @throws UserError if `values` has another size.
  void output(const std::string& port, std::span<float> values) const;
  /// Pointers to each vertex's row of `width` numbers; nullptr for types that do not push. Valid while the run exists.
  std::vector<const float*> rows(const std::string& port) const&;
  std::vector<const float*> rows(const std::string& port) const&& = delete;
  /// Like rows() above, but only for the listed vertices, numbered as in output(). From a GPU, only the rows from the
  /// first to the last listed vertex are copied. @throws UserError for a vertex out of range.
  std::vector<const float*> rows(const std::string& port, std::span<const std::int32_t> vertices) const&;
  std::vector<const float*> rows(const std::string& port, std::span<const std::int32_t> vertices) const&& = delete;
  /// Values of a scattered state: [vertices, width], in the order of output(); zeros for types that do not scatter the
  /// state. A state that no vertex gathers is not kept; push such a state to read it.
  /// @throws UserError with the known states.
  std::vector<float> state(const std::string& name) const;
  /// Writes into the caller's memory. @throws UserError if `values` has another size.
  void state(const std::string& name, std::span<float> values) const;
  /// Width of a state; @throws UserError with the known states.
  int state_width(const std::string& name) const;
  /// [samples + 1]: the first vertex of each sample in output().
  std::span<const std::int32_t> sample_begin() const&;
  std::span<const std::int32_t> sample_begin() const&& = delete;
  /// The numbers of an index port for the vertices of this run, in the order of output().
  std::vector<std::int32_t> index(const std::string& port) const;

  /// The gradient of the loss with respect to a push port, in the layout of output().
  struct PushGradient {
    std::string port;
    std::span<const float> values;
  };
  /// Computes the gradients of the parameters. `pushes` are additional gradients with respect to push ports, beyond
  /// those of the declared losses. With `defer_weights`, the following Session::update computes the gradients of large
  /// weights that are sums over few rows (Gradients::deferred). This saves writing these gradients to memory and
  /// reading them back.
  /// @throws UserError for gradients of other parameters than the session's, naming the first difference.
  void backward(Gradients& gradients, std::span<const PushGradient> pushes = {}, bool defer_weights = false);
  /// The gradient of a pulled port, [vertices, width]. @throws UserError before backward().
  std::vector<float> pull_gradient(const std::string& port) const;
  /// Writes into the caller's memory. @throws UserError if `values` has another size.
  void pull_gradient(const std::string& port, std::span<float> values) const;

  const RunStatistics& statistics() const;
  /// Text like "value 'c' (%12 = add) of vertex function 'tree_lstm', sample 17, vertex 3 is nan"; "" if all are
  /// finite.
  std::string find_not_finite() const;

 private:
  friend class Session;
  friend struct detail::SessionAccess;
  explicit Run(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;  // shares ownership of the session's implementation
};

/// Options of Session::update for the gradients, before the optimiser's step.
struct UpdateOptions {
  double clip_norm = 0;  // if the norm of all gradients is larger, scales them down to this norm; 0 turns this off
  /// True to compute UpdateResult::gradient_norm even without clipping. With deferred gradients, the norm costs up to a
  /// tenth of a small training step.
  bool norm = true;
};

/// The result of Session::update.
struct UpdateResult {
  /// Norm of all gradients together, without those of frozen parameters, before clipping; NaN if not requested.
  double gradient_norm = 0;
  bool updated = true;  // false if a gradient is not finite; then nothing was changed
};

/// Runs a program on a team of threads, which the session owns. Not thread-safe: one thread at a time may use a session
/// and its runs.
class Session {
 public:
  struct Impl;  // defined in the implementation
  /// @throws UserError for an unknown engine or policy, a thread count below 1, or parameters of another model than the
  /// program's, naming the first difference.
  Session(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters, SessionOptions options = {});
  /// Shares the program, parameters and packed weights of `other`, for inference in several threads, each with its own
  /// session. The new session may outlive `other`. @throws UserError as the constructor above does, for a program that
  /// was compiled for training, or for another engine or precision.
  Session(const Session& other, SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Evaluates samples, given by their numbers in the data set, as one minibatch.
  /// @throws UserError for no samples, a number out of range, graphs bound to another program, pulls other than the
  /// run_ports of bind_graphs, an invalid loss_divisor, or a run that exceeds SessionOptions::memory_limit.
  Run forward(const BoundGraphs& graphs, std::span<const std::int32_t> samples, const ForwardOptions& options);
  Run forward(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch = 0) {
    return forward(graphs, samples, ForwardOptions{.epoch = epoch});
  }

  /// Announces the samples of the next forward pass. With more than one thread, packing, scheduling and planning them
  /// overlaps with the current run.
  void prefetch(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch = 0);

  /// Updates the parameters with the gradients of `run`, on all threads: norm, clipping and a step of the optimiser.
  /// Packed weights are updated in their packed form. On the CPU, the result is bit-identical to that of
  /// Optimizer::step for any number of threads. A GPU updates in its own memory, and rounds differently.
  /// @param gradients  Gradients that the run's backward pass wrote, including deferred ones, or the caller's own. The
  /// caller may change values (Gradients::flat) and table_rows before the update, for example to sum over processes.
  /// @throws UserError for gradients or an optimiser of other parameters, gradients that another run's backward pass
  /// has deferred, or clipping of deferred gradients, whose values are not known yet.
  UpdateResult update(Run& run, Gradients& gradients, Optimizer& optimizer, const UpdateOptions& options = {});
  /// Like update() above, for gradients not written by a backward pass of this session, such as those of other
  /// processes.
  UpdateResult update(Gradients& gradients, Optimizer& optimizer, const UpdateOptions& options = {});

  /// Bytes that a run of these samples needs. Packs, schedules and plans them, and drops a prefetched minibatch.
  std::int64_t memory(const BoundGraphs& graphs, std::span<const std::int32_t> samples);
  int threads() const;
  EngineKind engine() const;
  /// Lines that describe the device: the name of the GPU, and which memory holds which weights. Empty on the CPU.
  std::vector<std::string> describe() const;
  /// Peak rates of the GPU; zeros on the CPU.
  DevicePeaks peaks() const;
  /// The precision of matrix products: kBf16 only if requested and supported by the processor.
  Precision precision() const;

 private:
  friend struct detail::SessionAccess;
  std::shared_ptr<Impl> impl_;
};

}  // namespace v0_1
}  // namespace cavs
