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

/// Memory of the caller's that a run uses.
struct RunInputs {
  KeptStates kept;
  std::vector<const float*> pulls;  // [float ports of the program] rows of the minibatch's vertices; nullptr: the data
                                    // set's are read
};

/// A minibatch and what is made for it before it is executed: a value for each stage of the path.
struct PreparedBatch {
  Minibatch minibatch;
  Schedule schedule;
  Plan plan;
  std::uint32_t dropout_epoch = 0;  // tells masks apart
  RunInputs inputs;

  /// Rows of a float port: of the minibatch's vertices where the run brings them, else of the data set.
  const float* float_port(std::int32_t port) const {
    return inputs.pulls[port] != nullptr ? inputs.pulls[port] : minibatch.bound->float_port(port);
  }
};

/// What a run gives rows of, by name.
enum class PortKind : std::uint8_t { kPush, kState, kPullGradient };

/// An update that is asked for.
struct UpdateRequest {
  Gradients& gradients;
  Optimizer& optimizer;
  const UpdateOptions& options;
  double loss = 0;  // nothing is updated where it is not finite

  /// Whether UpdateResult::gradient_norm is to be a number.
  bool wants_norm() const { return options.norm || options.clip_norm > 0; }
};

/// Where the time of a training step went, in seconds.
struct StepSeconds {
  double forward = 0, backward = 0, update = 0;
};

/// What a training step came to.
struct TrainedStep {
  double loss_sum = 0;
  UpdateResult update;
  StepSeconds seconds;
};

/// One evaluation of a minibatch by an engine, and the memory that it takes. It is reused: forward() begins anew. All
/// calls get the batch of the last forward(). Ports are checked by the caller.
class EngineRun {
 public:
  virtual ~EngineRun() = default;

  /// Does what can be done for a batch as soon as it is planned, maybe while another run is executed. One thread at a
  /// time for all runs of an engine.
  /// @param first  of the slices that it is cut into. @return whether there is another one
  virtual bool prepare(const PreparedBatch&, bool first) { return static_cast<void>(first), false; }
  /// Whether the memory that is held is enough for the batch; then the rest need not be asked.
  virtual bool fits(const PreparedBatch& batch) const = 0;
  /// Bytes that executing the batch takes, and bytes that are held already.
  virtual std::int64_t bytes(const PreparedBatch& batch) const = 0;
  virtual std::int64_t held_bytes() const = 0;
  /// Takes the memory. @throws std::bad_alloc; the run is then usable for smaller batches.
  virtual void reserve(const PreparedBatch& batch) = 0;

  /// @param loss_gradient  what the gradient of the sum of all losses is multiplied with
  virtual void forward(const PreparedBatch& batch, float loss_gradient) = 0;
  /// Sum of all losses of the vertices.
  virtual double loss_sum(const PreparedBatch& batch) const = 0;
  /// @param pushes         gradients of push ports: [vertices, width]; a port that is not there has none
  /// @param defer_weights  gradients may be left to the update that follows
  virtual void backward(const PreparedBatch& batch, Gradients& gradients, std::span<const Run::PushGradient> pushes,
                        bool defer_weights) = 0;
  /// Between forward() and backward(): backward() counts the gradients that it completes. Most engines never count.
  virtual void report_to(GradientProgress&) {}
  /// Forward, backward without gradients of pushes, and update as one; nothing where the engine does not do them so.
  /// Without clipping, gradients may be deferred.
  virtual std::optional<TrainedStep> train(const PreparedBatch&, float loss_gradient, const UpdateRequest&) {
    return static_cast<void>(loss_gradient), std::nullopt;
  }

  /// Begins the same, and returns before it is done; false where the engine does not.
  /// @param follows  the step that was begun before has not ended yet: where it updates nothing, neither does this one
  virtual bool begin_training(const PreparedBatch&, float loss_gradient, const UpdateRequest&, bool follows) {
    return static_cast<void>(loss_gradient), static_cast<void>(follows), false;
  }
  /// Waits for what begin_training() has begun, with the same arguments. If nothing was updated, parameters and
  /// optimiser are as before it, whatever was begun after it.
  virtual TrainedStep end_training(const PreparedBatch&, const UpdateRequest&) { return {}; }

  /// Where each listed vertex's row of a port lies on the host; nullptr where its type does not have the port. Valid
  /// until release().
  virtual void rows(const PreparedBatch& batch, PortKind kind, const std::string& port,
                    std::span<const std::int32_t> vertices, std::span<const float*> rows) = 0;
  /// Copies each listed vertex's rows of these ports to rows of the engine's StateMemory, zeros where its type does not
  /// have the port. @param slots  by vertex: its row there. @return by vertex, whether all of these numbers are finite
  virtual std::vector<char> keep(const PreparedBatch& batch, std::span<const KeptPort> ports,
                                 std::span<const std::int32_t> vertices, std::span<const std::int32_t> slots);
  /// Finds the most probable words of each listed vertex, whose row of a push port are logits, as cpu::best_words()
  /// does; of those with a forced word that one alone. All have equally many `words`. @param forced  by vertex; -1: any
  /// word
  /// @return whether it did; if not, the caller reads rows()
  virtual bool best_words(const PreparedBatch&, const std::string& port, std::span<const std::int32_t> vertices,
                          std::span<const std::int32_t> forced, std::span<ScoredWord> words) {
    return static_cast<void>(port), static_cast<void>(vertices), static_cast<void>(forced), static_cast<void>(words),
           false;
  }
  /// See Run::find_not_finite; empty, too, where the engine does not keep its values.
  virtual std::string find_not_finite(const PreparedBatch&) const { return ""; }
  /// Sets what it counts since forward() began: time moving memory, instructions, bytes.
  virtual void count(const PreparedBatch&, RunStatistics&) const {}
  /// The caller has no more questions, and does not end what it has begun: frees what the next run does not take over.
  virtual void release() {}
};

/// Executes the plans of one program with one set of parameters. Each is a folder, a name in CAVS_ENGINES
/// (cavs/session_options.h), and a line of execute/engine_list.inc for each device that it runs on.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::unique_ptr<EngineRun> make_run() = 0;
  /// Updates the parameters, wherever it keeps them, after a backward pass of the run.
  /// @throws UserError for gradients that another backward pass has deferred
  virtual UpdateResult update(EngineRun& run, const UpdateRequest& request) = 0;

  /// Adds gradients of several backward passes where it keeps them. @param total  gets the sums, and outlives it
  virtual std::unique_ptr<StepSum> make_sum(const Parameters& parameters, Gradients& total) {
    return std::make_unique<HostStepSum>(parameters, total);
  }
  /// averages += rate * (parameters - averages), of all numbers, where it keeps the parameters.
  /// @return whether it did; if not, the caller does
  virtual bool average(Parameters&, float rate) { return static_cast<void>(rate), false; }

  /// Memory for states that its runs read and write in place (KeptStates). The engine outlives it.
  virtual std::unique_ptr<StateMemory> make_state_memory() { return std::make_unique<HostStateMemory>(); }

  /// Precision of products, which need not be the one that was asked for: see Session::precision.
  virtual Precision precision() const = 0;
  /// Bytes that runs may take besides those that are held.
  virtual std::int64_t available_memory() const { return cavs::available_memory(); }
  /// The peaks of its GPU.
  virtual DevicePeaks peaks() const { return {}; }
  /// What it runs on, and how, for the user: a line each.
  virtual std::vector<std::string> describe() const { return {}; }

  /// Work for the time in which it computes and the caller's thread, or one of its own, has nothing to do: is called
  /// again and again until it returns false. Each call must be short. An empty function takes the work back.
  /// @return whether there is such time; if not, the work is not taken
  virtual bool set_slack(std::function<bool()> slice) { return static_cast<void>(slice), false; }
  /// The caller does what is left of that work.
  virtual void finish_slack() {}
  /// Calls f(worker, workers) on each of its threads; they share what the caller has to do.
  virtual void share(const std::function<void(int worker, int workers)>& f) { f(0, 1); }
};

/// What an engine is made for. All but `sharing` outlives it.
struct EngineContext {
  std::shared_ptr<const Program> program;
  std::shared_ptr<Parameters> parameters;
  const SessionOptions& options;
  const Engine* sharing = nullptr;  // of the same kind, program and parameters: share what both only read
};

/// An engine on a device.
struct EngineDef {
  std::string_view doc;
  bool keeps_states = true;  // its runs read and write KeptStates
  /// The target to compile a program for: the one that it is compiled for already, where the engine runs it.
  Target (*target)(const Target& compiled);
  std::unique_ptr<Engine> (*make)(const EngineContext& context);
};

}  // namespace cavs::inline v0_1
