#pragma once

#include <cstdint>
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
#include "execute/team.h"
#include "pack/minibatch.h"
#include "plan/plan.h"
#include "schedule/schedule.h"
#include "support/available_memory.h"
#include "support/split_range.h"
#include "tensor/parameter_rows.h"

namespace cavs {

struct WeightPlacement;

/// A minibatch and what is made for it before it is executed: a value for each stage of the path.
struct PreparedBatch {
  Minibatch minibatch;
  Schedule schedule;
  Plan plan;
  std::uint32_t dropout_epoch = 0;  // tells masks apart
};

/// What a run gives rows of, by name.
enum class PortKind : std::uint8_t { kPush, kState, kPullGradient };

/// Where a type lists what it has of that kind.
inline std::vector<Output> TypeProgram::*outputs_of(PortKind kind) {
  return kind == PortKind::kPush    ? &TypeProgram::pushes
         : kind == PortKind::kState ? &TypeProgram::scatters
                                    : &TypeProgram::pull_gradients;
}

/// The update of a training step, as the workers of its run share it.
class UpdateShare {
 public:
  virtual ~UpdateShare() = default;
  /// Before the workers set out. One thread.
  virtual void begin() = 0;
  virtual int parameters() const = 0;
  virtual bool is_deferred(int parameter) const = 0;
  /// When the losses are there: one worker.
  virtual void take_loss() = 0;
  /// When all gradients are there: every part of every parameter.
  virtual void sum_squares(const WorkPart& who, int parameter) = 0;
  /// When all of them and the loss are summed: what gradients are scaled by, the same for all workers; none: something
  /// is not finite, and nothing may be updated.
  virtual std::optional<float> scale() = 0;
  /// Every part of every parameter. A deferred gradient may be made of another parameter's rows, which is updated
  /// later.
  virtual void update(const WorkPart& who, int parameter, float scale) = 0;

  /// The same for an engine that updates where it keeps the parameters, in place of all of the above.
  struct Elsewhere {
    Optimizer& optimizer;
    double clip_norm;
  };
  virtual Elsewhere begin_elsewhere() = 0;
  /// When the step is done. @param updated  false: loss or norm were not finite, and nothing was changed
  virtual void end_elsewhere(double gradient_norm, bool updated) = 0;
};

/// A worker's part in an update, from when all gradients are there. @param is_possible  asked when all have summed
template <typename IsPossible>
void take_part(UpdateShare& update, Team& team, int worker, IsPossible is_possible) {
  const WorkPart who{worker, worker, team.size()};
  if (worker == 0) update.take_loss();
  for (int p = 0; p < update.parameters(); ++p) update.sum_squares(who, p);
  team.barrier(worker);
  if (!is_possible()) return;
  const std::optional<float> scale = update.scale();
  if (!scale) return;
  for (const bool deferred : {true, false}) {
    for (int p = 0; p < update.parameters(); ++p)
      if (update.is_deferred(p) == deferred) update.update(who, p, *scale);
    if (deferred) team.barrier(worker);
  }
}

/// What EngineRun::train has done.
enum class Trained : std::uint8_t {
  kNothing,    // the engine can't
  kGradients,  // forward and backward, as those leave them: a deferred gradient might not have been finite
  kAll,        // the update as well, if it was wanted
};

/// Where the time of a training step went, in seconds.
struct StepSeconds {
  double forward = 0, backward = 0, update = 0;
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
  /// Bytes that executing the batch takes, those of the team's workers among them, and bytes that are held already.
  virtual std::int64_t bytes(const PreparedBatch& batch) const = 0;
  virtual std::int64_t held_bytes() const = 0;
  /// Takes the memory. @throws std::bad_alloc; the run is then usable for smaller batches.
  virtual void reserve(const PreparedBatch& batch) = 0;

  /// @param loss_gradient  what the gradient of the sum of all losses is multiplied with
  virtual void forward(const PreparedBatch& batch, float loss_gradient) = 0;
  /// Sum of all losses of the vertices.
  virtual double loss_sum(const PreparedBatch& batch) const = 0;
  /// @param pushes         gradients of push ports: [vertices, width]; a port that is not there has none
  /// @param defer_weights  gradients may be left to ParameterRows::gradient of the update that follows
  virtual void backward(const PreparedBatch& batch, Gradients& gradients, std::span<const Run::PushGradient> pushes,
                        bool defer_weights) = 0;

  /// Forward, backward without pushes, and update in one parallel region.
  virtual Trained train(const PreparedBatch&, float, Gradients&, bool, UpdateShare&, StepSeconds&) {
    return Trained::kNothing;
  }

  /// Gradients::deferred_by of the last backward, if it deferred any; else 0.
  virtual std::uint64_t deferred_by() const { return 0; }

  /// Where each vertex's row of a port lies; nullptr where its type does not have the port. Valid until release().
  virtual void rows(const PreparedBatch& batch, PortKind kind, const std::string& port,
                    std::span<const float*> rows) = 0;
  /// See Run::find_not_finite; empty, too, where the engine does not keep its values.
  virtual std::string find_not_finite(const PreparedBatch& batch) const = 0;
  /// Sets what it counts since forward() began: time moving memory, instructions, bytes.
  virtual void count(const PreparedBatch& batch, RunStatistics& statistics) const = 0;
  /// The caller has no more questions: frees what the next run does not take over.
  virtual void release() = 0;
};

/// Executes the plans of one program with one set of parameters. Each is a folder, a name in CAVS_ENGINES
/// (cavs/session_options.h), and a line of execute/engine_list.inc for each device that it runs on.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::unique_ptr<EngineRun> make_run() = 0;
  /// Precision of products, which need not be the one that was asked for: see Session::precision.
  virtual Precision precision() const = 0;
  /// True if the engine reads the caller's states in place (KeptStates); else it evaluates the function of their
  /// vertices, which must compute the same states.
  virtual bool reads_kept_states() const = 0;
  /// Whether other workers run lazy rows while one runs small tasks (Streaming).
  virtual bool streams() const { return true; }
  /// Processors that plans are made for; 0: the team's threads.
  virtual int processors() const { return 0; }
  /// Whether the caller's thread is free while it computes, so that the next minibatch is prepared meanwhile whatever
  /// the team.
  virtual bool leaves_caller_free() const { return false; }
  /// Bytes that runs may take besides those that are held.
  virtual std::int64_t available_memory() const { return cavs::available_memory(); }
  /// Where the weights live that tasks multiply with; nullptr: nowhere in particular.
  virtual const WeightPlacement* placement() const { return nullptr; }
  /// What it runs on, and how, for the user: a line each.
  virtual std::vector<std::string> describe() const { return {}; }

  /// Where an update finds and leaves rows of matrices; nullptr: in Parameters::values.
  /// @param run  has deferred gradients, or nullptr
  virtual ParameterRows* begin_update(EngineRun* run) = 0;
  virtual void end_update() = 0;
};

/// What an engine is made for. All but `sharing` outlives it.
struct EngineContext {
  std::shared_ptr<const Program> program;
  std::shared_ptr<Parameters> parameters;
  Team& team;
  const SessionOptions& options;
  const Engine* sharing = nullptr;  // of the same kind, program and parameters: share what both only read
};

/// An engine on a device.
struct EngineDef {
  std::string_view doc;
  /// What programs are compiled for: the target that one is compiled for already, where the engine runs it.
  Target (*target)(const Target& compiled);
  std::unique_ptr<Engine> (*make)(const EngineContext& context);
};

}  // namespace cavs
