#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/optimizer.h"
#include "cavs/parameters.h"
#include "cavs/session.h"
#include "compile/program.h"
#include "execute/gradient_progress.h"
#include "execute/kept_states.h"
#include "pack/minibatch.h"
#include "plan/plan.h"
#include "schedule/schedule.h"
#include "support/available_memory.h"
#include "tensor/scored_word.h"
#include "update/step_sum.h"

namespace cavs::inline v0_1 {

/// Memory of the caller that a run reads or writes.
struct RunInputs {
  KeptStates kept;
  std::vector<const float*> pulls;  // [float ports] rows of the run's vertices, or nullptr to use the data set's
};

/// A minibatch with the results of all stages that precede its execution.
struct PreparedBatch {
  Minibatch minibatch;
  Schedule schedule;
  Plan plan;
  std::uint32_t dropout_epoch = 0;  // part of the key of dropout masks
  RunInputs inputs;

  /// Returns the rows of a float port: those of the minibatch's vertices if the run supplies them, else the data set's.
  const float* float_port(std::int32_t port) const {
    return inputs.pulls[port] != nullptr ? inputs.pulls[port] : minibatch.bound->float_port(port);
  }
};

/// Kinds of named values whose rows a run can return.
enum class PortKind : std::uint8_t { kPush, kState, kPullGradient };

/// A requested update.
struct UpdateRequest {
  Gradients& gradients;
  Optimizer& optimizer;
  const UpdateOptions& options;
  double loss = 0;  // loss of the run; nothing is updated if it is not finite

  /// True if UpdateResult::gradient_norm must be computed.
  bool wants_norm() const { return options.norm || options.clip_norm > 0; }
};

/// Time of the parts of a training step, in seconds.
struct StepSeconds {
  double forward = 0, backward = 0, update = 0;
};

/// Result of a training step.
struct TrainedStep {
  double loss_sum = 0;
  UpdateResult update;
  StepSeconds seconds;
};

/// One evaluation of a minibatch by an engine, with its memory. The object is reused: forward() starts a new
/// evaluation, and all other calls get the batch of the last forward(). The caller checks that ports exist.
class EngineRun {
 public:
  virtual ~EngineRun() = default;

  /// Does work for a batch as soon as it is planned, possibly while another run is executed. Only one thread at a time
  /// calls prepare, for all runs of an engine.
  /// @param first  true for the first slice of the work. @return true if there is another slice
  virtual bool prepare(const PreparedBatch&, [[maybe_unused]] bool first) { return false; }
  /// True if the run holds enough memory for the batch; the next two functions are then not needed.
  virtual bool fits(const PreparedBatch& batch) const = 0;
  /// Returns the bytes that the batch needs beyond those that the run holds.
  virtual std::int64_t bytes(const PreparedBatch& batch) const = 0;
  virtual std::int64_t held_bytes() const = 0;
  /// Allocates the memory. @throws std::bad_alloc; the run is then usable for smaller batches.
  virtual void reserve(const PreparedBatch& batch) = 0;

  /// @param loss_gradient  factor of the gradient of the sum of all losses
  virtual void forward(const PreparedBatch& batch, float loss_gradient) = 0;
  /// Returns the sum of all losses of the vertices.
  virtual double loss_sum(const PreparedBatch& batch) const = 0;
  /// @param pushes         gradients of push ports, each [vertices, width]; ports that are missing have zero gradients
  /// @param defer_weights  true if gradients may be left to the update that follows
  virtual void backward(const PreparedBatch& batch, Gradients& gradients, std::span<const Run::PushGradient> pushes,
                        bool defer_weights) = 0;
  /// Call between forward() and backward(). Makes backward() count completed gradients; most engines never count.
  virtual void report_to(GradientProgress&) {}
  /// Does forward, backward without gradients of pushes, and update in one pass. Returns nullopt if the engine cannot
  /// do that. Without clipping, gradients may be deferred to the update.
  virtual std::optional<TrainedStep> train(const PreparedBatch&, [[maybe_unused]] float loss_gradient,
                                           const UpdateRequest&) {
    return std::nullopt;
  }

  /// Begins what train() does and returns before it is done. Returns false if the engine cannot do that.
  /// @param follows  true if the preceding step has not ended. If that step updates nothing, this step does not either
  virtual bool begin_training(const PreparedBatch&, [[maybe_unused]] float loss_gradient, const UpdateRequest&,
                              [[maybe_unused]] bool follows) {
    return false;
  }
  /// Waits for the step of begin_training(), which had the same arguments. If the step updated nothing, parameters and
  /// optimiser are as they were before it, whatever steps have begun since.
  virtual TrainedStep end_training(const PreparedBatch&, const UpdateRequest&) { return {}; }

  /// Finds the host address of each listed vertex's row of a port; nullptr if its type lacks it. Valid until release().
  virtual void rows(const PreparedBatch& batch, PortKind kind, const std::string& port,
                    std::span<const std::int32_t> vertices, std::span<const float*> rows) = 0;
  /// Copies each listed vertex's rows of the ports to the engine's StateMemory; zeros if its type does not have the
  /// port. @param slots  [vertices] row in the StateMemory. @return [vertices] true if all copied numbers are finite
  virtual std::vector<char> keep(const PreparedBatch& batch, std::span<const KeptPort> ports,
                                 std::span<const std::int32_t> vertices, std::span<const std::int32_t> slots);
  /// Finds the most probable words of each listed vertex, as cpu::best_words() does. The vertex's row of a push port
  /// has the logits. A vertex with a forced word gets only that word. All vertices get equally many `words`.
  /// @param forced  [vertices] the forced word, or -1
  /// @return true if the engine found them; if not, the caller must read rows()
  virtual bool best_words(const PreparedBatch&, [[maybe_unused]] const std::string& port,
                          [[maybe_unused]] std::span<const std::int32_t> vertices,
                          [[maybe_unused]] std::span<const std::int32_t> forced,
                          [[maybe_unused]] std::span<ScoredWord> words) {
    return false;
  }
  /// Returns what Run::find_not_finite returns; empty if the engine does not keep its values.
  virtual std::string find_not_finite(const PreparedBatch&) const { return ""; }
  /// Sets the statistics of the run since forward() began: time moving memory, instructions, bytes.
  virtual void count(const PreparedBatch&, RunStatistics&) const {}
  /// Called when the caller needs no more results and will not end a step that has begun. Frees what the next run does
  /// not reuse.
  virtual void release() {}
};

/// Executes the plans of one program with one set of parameters. Each engine is a folder, a name in CAVS_ENGINES
/// (cavs/session_options.h), and a line in execute/engine_list.inc for each device that it runs on.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::unique_ptr<EngineRun> make_run() = 0;
  /// Updates the parameters after a backward pass of `run`, wherever the engine keeps them.
  /// @throws UserError if another backward pass has deferred the gradients
  virtual UpdateResult update(EngineRun& run, const UpdateRequest& request) = 0;

  /// Makes an object that sums the gradients of several backward passes, in the memory where the engine keeps them.
  /// @param total  gets the sums, and must outlive the result
  virtual std::unique_ptr<StepSum> make_sum(const Parameters& parameters, Gradients& total) {
    return std::make_unique<HostStepSum>(parameters, total);
  }
  /// Computes averages += rate * (parameters - averages), for all numbers, in the memory with the engine's parameters.
  /// @return true if the engine did that; if false, the caller must do it
  virtual bool average(Parameters&, [[maybe_unused]] float rate) { return false; }

  /// Makes memory for states that runs read and write in place (KeptStates). The engine must outlive it.
  virtual std::unique_ptr<StateMemory> make_state_memory() { return std::make_unique<HostStateMemory>(); }

  /// Returns the precision of products, which may differ from the requested one: see Session::precision.
  virtual Precision precision() const = 0;
  /// Returns the bytes that runs may allocate in addition to what they hold.
  virtual std::int64_t available_memory() const { return cavs::available_memory(); }
  /// Returns the peak speeds of the engine's GPU.
  virtual DevicePeaks peaks() const { return {}; }
  /// Returns a description of hardware and settings for the user, one item per line.
  virtual std::vector<std::string> describe() const { return {}; }

  /// Sets work for the slack, which is the time in which the engine computes and the caller's thread, or one of the
  /// engine's threads, is idle. The engine calls `slice` again and again until it returns false. Each call must be
  /// short. An empty function cancels the work. Returns false if the engine has no slack and ignores the work.
  virtual bool set_slack([[maybe_unused]] std::function<bool()> slice) { return false; }
  /// Does the rest of the slack's work on the caller's thread.
  virtual void finish_slack() {}
  /// Calls f(worker, workers) on each of the engine's threads, so that they share work of the caller.
  virtual void share(const std::function<void(int worker, int workers)>& f) { f(0, 1); }
};

/// Inputs of an engine. All but `sharing` must outlive the engine.
struct EngineContext {
  std::shared_ptr<const Program> program;
  std::shared_ptr<Parameters> parameters;
  const SessionOptions& options;
  const Engine* sharing = nullptr;  // engine of the same kind, program and parameters whose read-only data is shared
};

/// An engine on a device.
struct EngineDef {
  std::string_view doc;
  bool keeps_states = true;  // true if runs use KeptStates without a copy
  /// Returns the target to compile a program for. This is `compiled` if the engine can run it.
  Target (*target)(const Target& compiled);
  std::unique_ptr<Engine> (*make)(const EngineContext& context);
};

}  // namespace cavs::inline v0_1
