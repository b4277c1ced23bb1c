#include "execute/batched/batched_engine.h"

#include "backend/cpu/target.h"
#include "execute/batched/batched_run.h"

namespace cavs {
namespace {

/// bf16 where it is asked for and can run; else fp32, which Session::precision tells.
cpu::Precision precision_of(const SessionOptions& options) {
  const bool bf16 = options.precision == Precision::kBf16 && !cpu::bf16_instruction_set().empty();
  return bf16 ? cpu::Precision::kBf16 : cpu::Precision::kFp32;
}

/// Streaming needs two workers, and (unless it is asked for) a processor for each.
Streaming streaming_of(const SessionOptions& options, const Team& team) {
  if (team.size() == 1) return Streaming::kOff;
  return options.streaming == Streaming::kAuto && team.is_crowded() ? Streaming::kOff : options.streaming;
}

std::shared_ptr<PackedWeights> weights_of(const EngineContext& context) {
  if (context.sharing != nullptr)
    return static_cast<const BatchedEngine*>(context.sharing)->weights();  // of the same kind: see EngineContext
  return std::make_shared<PackedWeights>(*context.program, precision_of(context.options));
}

}  // namespace

BatchedEngine::BatchedEngine(const EngineContext& context)
    : program_(context.program),
      parameters_(context.parameters),
      team_(context.options.threads, Team::Alone::kAllowed),
      precision_(precision_of(context.options)),
      planner_(*program_, streaming_of(context.options, team_), team_.size()),
      executor_(context.program, context.parameters, team_, context.options, precision_, weights_of(context)),
      updater_(*program_, context.parameters, executor_, team_.size()),
      profile_(context.options.profile) {}

std::unique_ptr<EngineRun> BatchedEngine::make_run() { return std::make_unique<BatchedRun>(*this); }

Precision BatchedEngine::precision() const {
  return precision_ == cpu::Precision::kBf16 ? Precision::kBf16 : Precision::kFp32;
}

GradientNorm& BatchedEngine::norm() {
  if (!norm_) norm_.emplace(*parameters_);
  return *norm_;
}

UpdateResult BatchedEngine::update(EngineRun& run, const UpdateRequest& request) {
  Execution& execution = static_cast<BatchedRun&>(run).execution();
  check_deferred(request, execution.deferred.number);
  return update(execution, request);
}

UpdateResult BatchedEngine::update(Execution& run, const UpdateRequest& request) {
  updater_.begin(&run);
  Update update(*parameters_, norm(), request, &updater_);
  const auto work = [&](int w) {
    update.take_part(
        {w, w, team_.size()}, [&] { return request.loss; }, [&] { team_.barrier(w); }, [] { return true; });
  };
  team_.run(std::ref(work));  // a copy of it would allocate
  return finish(update);
}

TrainedStep BatchedEngine::train(Execution& run, const UpdateRequest& request, const std::function<double()>& loss) {
  TrainedStep step;
  const bool defer = request.options.clip_norm == 0;
  updater_.begin(&run);
  Update shared(*parameters_, norm(), request, &updater_);
  const std::function<double()> noted = [&] { return step.loss_sum = loss(); };
  const bool updated = executor_.train(run, request.gradients, defer, shared, noted, step.seconds);
  step.update =
      updated ? finish(shared) : update(run, {request.gradients, request.optimizer, request.options, step.loss_sum});
  return step;
}

UpdateResult BatchedEngine::finish(Update& update) {
  const UpdateResult result = update.end();
  if (result.updated) updater_.finish();
  return result;
}

bool BatchedEngine::set_slack(std::function<bool()> slice) {
  if (team_.size() == 1) return false;
  team_.set_slack(std::move(slice));
  return true;
}

void BatchedEngine::share(const std::function<void(int worker, int workers)>& f) {
  const std::function<void(int)> work = [&](int worker) { f(worker, team_.size()); };
  team_.run(work);
}

extern const EngineDef kBatchedOnCpu;
const EngineDef kBatchedOnCpu{.doc = "the team shares every instruction of a step",
                              .target =
                                  [](const Target& compiled) {
                                    const bool runs = compiled.slice_columns == cpu::kTarget.slice_columns &&
                                                      compiled.sum_rows == cpu::kTarget.sum_rows &&
                                                      compiled.alignment % cpu::kTarget.alignment == 0;
                                    return runs ? compiled : cpu::kTarget;  // what the program fuses is its own affair
                                  },
                              .make = [](const EngineContext& context) -> std::unique_ptr<Engine> {
                                return std::make_unique<BatchedEngine>(context);
                              }};

}  // namespace cavs
