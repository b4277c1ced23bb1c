#include "execute/batched/batched_engine.h"

#include <algorithm>

#include "backend/cpu/target.h"
#include "execute/batched/batched_run.h"
#include "execute/batched/lookup_gradients.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns bf16 if it is requested and the processor supports it, else fp32 (Session::precision returns the result).
cpu::Precision precision_of(const SessionOptions& options) {
  user_check(options.precision != Precision::kTf32,
             "precision tf32 is for GPUs, but this is the CPU's engine batched; expected fp32 or bf16, or device cuda");
  const bool bf16 = options.precision == Precision::kBf16 && !cpu::bf16_instruction_set().empty();
  return bf16 ? cpu::Precision::kBf16 : cpu::Precision::kFp32;
}

/// Returns kOff unless there are two workers and, unless streaming is requested, a processor for each worker.
Streaming streaming_of(const SessionOptions& options, const Team& team) {
  if (team.size() == 1) return Streaming::kOff;
  return options.streaming == Streaming::kAuto && team.is_crowded() ? Streaming::kOff : options.streaming;
}

std::shared_ptr<PackedWeights> weights_of(const EngineContext& context) {
  if (context.sharing != nullptr)
    return static_cast<const BatchedEngine*>(context.sharing)->weights();  // the same kind of engine: see EngineContext
  return std::make_shared<PackedWeights>(*context.program, precision_of(context.options));
}

Workers make_workers(const Parameters& parameters, Team& team, cpu::Precision precision) {
  Workers workers;
  for (int w = 0; w < team.size(); ++w) workers.push_back(std::make_unique<Worker>(w, team, parameters, precision));
  return workers;
}

/// Returns a run's amount of work, to compare runs alone and with the team. ∂F runs as its forward pass did.
double work_of(const Execution& run) { return static_cast<double>(run.batch->minibatch.vertices()); }

/// Returns the CPU target with the fusion settings of `compiled`, since the engine runs programs with any of them.
Target target_of(const Target& compiled) {
  const bool runs = compiled.slice_columns == cpu::kTarget.slice_columns &&
                    compiled.sum_rows == cpu::kTarget.sum_rows && compiled.alignment % cpu::kTarget.alignment == 0;
  return runs ? compiled : cpu::kTarget;
}

}  // namespace

BatchedEngine::BatchedEngine(const EngineContext& context)
    : program_(context.program),
      parameters_(context.parameters),
      team_(context.options.threads, Team::Alone::kAllowed),
      precision_(precision_of(context.options)),
      profile_(context.options.profile),
      weights_(weights_of(context)),
      workers_(make_workers(*parameters_, team_, precision_)),
      planner_(*program_, streaming_of(context.options, team_), team_.size()),
      instructions_(*program_, *weights_, context.options.seed),
      steps_(*program_, instructions_, workers_, team_),
      deferral_(*program_, context.options.defer_from),
      deferred_sums_(*program_, team_, workers_, instructions_),
      updater_(*program_, parameters_, weights_, deferred_sums_, team_.size()) {
  if (!profile_) return;
  for (const std::unique_ptr<Worker>& worker : workers_)
    worker->loads = std::make_unique<WeightLoads>(*weights_, program_->weights.size());
}

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
  team_.run(std::ref(work));  // std::ref, since a copy would allocate
  return finish(update);
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

void BatchedEngine::prepare(Execution& run, const PreparedBatch& batch) {
  planner_.make(batch.minibatch, batch.schedule, batch.plan, run.team);
  run.is_alone = team_.choose_alone();
}

/// Runs one parallel region: repacks outdated weights, while other sessions wait, then calls `work` on each worker.
/// @param compared  true to measure whether the caller is faster alone
template <typename Work>
void BatchedEngine::run_region(Execution& run, bool compared, Work work) {
  std::unique_lock renewing = weights_->lock();
  const bool stale = weights_->stale(*parameters_);
  if (!stale) renewing.unlock();
  const auto part = [&](int w) {
    const cpu::TileScope tiles(workers_[w]->precision);
    if (stale) {
      weights_->refresh(*parameters_, w, team_.size());
      team_.barrier(w);
    }
    work(w);
  };
  if (compared)
    team_.run_and_compare(std::ref(part), run.is_alone, work_of(run));  // std::ref: a copy would allocate
  else
    team_.run(std::ref(part), run.is_alone);
  if (stale) weights_->mark_fresh(*parameters_);
  add_loads(run);
}

void BatchedEngine::forward(Execution& run) {
  run.ran_backward = false;
  run.loaded = {};
  steps_.open(run);
  run_region(run, true, [&](int w) { run_steps(run, Directions::kForward, nullptr, w); });
  steps_.close(run);
}

void BatchedEngine::choose_deferred(Execution& run, Gradients& gradients, bool defer) {
  deferral_.choose(run.plan(), defer, run.deferred);
  deferred_sums_.mark(run, gradients);
}

/// Announces how often GradientProgress::count() will be called: once per worker of a step that writes a gradient.
void BatchedEngine::expect_gradients(const Execution& run) const {
  std::vector<std::int32_t> writes(program_->parameters.size());
  const std::vector<Step>& steps = run.plan().steps;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (!steps[s].backward) continue;
    const std::int32_t workers = run.team.shares[s].one_worker() ? 1 : team_.size();
    for (const Instruction& i : program_->types[steps[s].type].at(true, steps[s].stage))
      each_dense_gradient(i, [&](std::size_t p) { writes[p] += workers; });
  }
  for (std::size_t p = 0; p < writes.size(); ++p)
    if (writes[p] > 0) run.progress->expect(p, writes[p]);
}

/// Runs the steps of ∂F (and before them, on request, of F), and the work that follows ∂F.
void BatchedEngine::go_back(Execution& run, Gradients& gradients, Directions directions, int w) {
  clear_tables(*program_, gradients, w, team_.size());
  if (w == 0 && run.progress != nullptr) expect_gradients(run);
  team_.barrier(w);
  if (w == 0) note_touched_rows(run.plan(), gradients);
  run_steps(run, directions, &gradients, w);
  instructions_.finish_gradients(*workers_[w]);
  team_.barrier(w);
  deferred_sums_.check(run, w);
}

void BatchedEngine::backward(Execution& run, Gradients& gradients, bool defer) {
  choose_deferred(run, gradients, defer);
  // run_region() repacks outdated weights, since parameters may have changed after the forward pass.
  run_region(run, false, [&](int w) { go_back(run, gradients, Directions::kBackward, w); });
  run.ran_backward = true;
  if (!DeferredSums::is_safe(run)) deferred_sums_.compute(run, gradients);
}

TrainedStep BatchedEngine::train(Execution& run, const UpdateRequest& request, const std::function<double()>& loss) {
  TrainedStep step;
  updater_.begin(&run);
  Update shared(*parameters_, norm(), request, &updater_);
  run.ran_backward = false;
  run.loaded = {};
  steps_.open(run);
  choose_deferred(run, request.gradients, request.options.clip_norm == 0);
  const auto is_safe = [&run] { return DeferredSums::is_safe(run); };
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Clock::time_point summed;
  run_region(run, true, [&](int w) {
    go_back(run, request.gradients, Directions::kBoth, w);
    if (w == 0) summed = Clock::now();
    shared.take_part(
        {w, w, team_.size()}, [&] { return step.loss_sum = loss(); }, [&] { team_.barrier(w); }, is_safe);
  });
  const auto between = [](auto from, auto to) { return std::chrono::duration<double>(to - from).count(); };
  step.seconds = {between(start, run.forward_end), between(run.forward_end, summed), between(summed, Clock::now())};
  steps_.close(run);
  run.ran_backward = true;
  if (is_safe()) {
    step.update = finish(shared);
  } else {
    deferred_sums_.compute(run, request.gradients);
    step.update = update(run, {request.gradients, request.optimizer, request.options, step.loss_sum});
  }
  return step;
}

void BatchedEngine::add_loads(Execution& run) {
  for (const std::unique_ptr<Worker>& worker : workers_) {
    if (worker->loads == nullptr) return;
    const LoadedWeights loaded = worker->loads->take();
    run.loaded.bytes += loaded.bytes;
    run.loaded.task_bytes += loaded.task_bytes;
  }
}

/// Runs the worker's part of the steps. Resets the worker first, since an exception may have ended its last run.
void BatchedEngine::run_steps(Execution& run, Directions directions, Gradients* gradients, int number) {
  Worker& worker = *workers_[number];
  worker.run = &run;
  worker.gradients = gradients;
  worker.memory_seconds = profile_ && number == 0 ? &run.memory_seconds : nullptr;
  std::ranges::fill(worker.touched, 0);
  std::ranges::fill(worker.summed, 0);
  steps_.run(run, worker, directions);
}

StepView BatchedEngine::view(const Execution& run, std::int32_t type) const {
  StepView view;
  view.run = &run;
  view.parameters = parameters_.get();
  view.type_number = type;
  view.program = &program_->types[type];
  return view;
}

extern const EngineDef kBatchedOnCpu;
const EngineDef kBatchedOnCpu{.doc = "the team shares every instruction of a step",
                              .target = target_of,
                              .make = [](const EngineContext& context) -> std::unique_ptr<Engine> {
                                return std::make_unique<BatchedEngine>(context);
                              }};

}  // namespace cavs::inline v0_1
