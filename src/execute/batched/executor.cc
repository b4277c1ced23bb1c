#include "execute/batched/executor.h"

#include <algorithm>
#include <functional>

#include "backend/cpu/target.h"
#include "execute/batched/lookup_gradients.h"
#include "support/check.h"

namespace cavs {
namespace {

Workers make_workers(const Parameters& parameters, Team& team) {
  Workers workers;
  for (int w = 0; w < team.size(); ++w) workers.push_back(std::make_unique<Worker>(w, team, parameters));
  return workers;
}

/// A session is compared by its forward passes or by its training steps; a backward pass goes the way of its forward.
double work_of(const Execution& run) { return static_cast<double>(run.batch->minibatch.vertices()); }

}  // namespace

Executor::Executor(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters, Team& team,
                   const SessionOptions& options, cpu::Precision precision, std::shared_ptr<PackedWeights> weights)
    : program_(std::move(program)),
      parameters_(std::move(parameters)),
      team_(team),
      precision_(precision),
      weights_(std::move(weights)),
      profile_(options.profile),
      workers_(make_workers(*parameters_, team)),
      instructions_(*program_, *weights_, precision, options.seed),
      steps_(*program_, instructions_, workers_, team),
      deferral_(*program_, options.defer_from),
      deferred_sums_(*program_, team, workers_, instructions_, precision) {
  if (!options.profile) return;
  for (const std::unique_ptr<Worker>& worker : workers_)
    worker->loads = std::make_unique<WeightLoads>(*weights_, program_->weights.size());
}

/// Holds the lock for as long as weights are renewed.
bool Executor::is_stale(std::unique_lock<std::mutex>& renewing) {
  const bool stale = weights_->stale(*parameters_);
  if (!stale) renewing.unlock();
  return stale;
}

void Executor::renew_weights(int worker) {
  weights_->refresh(*parameters_, worker, team_.size());
  team_.barrier(worker);
}

void Executor::forward(Execution& run) {
  run.went_back = false;
  run.loaded = {};
  steps_.open(run);
  std::unique_lock renewing = weights_->lock();
  const bool stale = is_stale(renewing);
  const auto work = [&](int w) {
    const cpu::TileScope tiles(precision_);
    if (stale) renew_weights(w);
    run_steps(run, Directions::kForward, nullptr, w);
  };
  team_.run_and_compare(std::ref(work), run.is_alone, work_of(run));  // a copy of the lambda would allocate
  if (stale) weights_->mark_fresh(*parameters_);
  steps_.close(run);
  add_loads(run);
}

void Executor::choose_deferred(Execution& run, Gradients& gradients, bool defer) {
  if (defer)
    deferral_.choose(run.plan(), run.deferred);
  else
    run.deferred.sums.clear(), run.deferred.is_deferred.assign(gradients.size(), 0);
  deferred_sums_.mark(run, gradients);
}

/// Steps that end with ∂F, and what follows them.
void Executor::go_back(Execution& run, Gradients& gradients, Directions directions, int w) {
  clear_tables(*program_, gradients, w, team_.size());
  team_.barrier(w);
  if (w == 0) note_touched_rows(run.plan(), gradients);
  run_steps(run, directions, &gradients, w);
  instructions_.finish_gradients(*workers_[w]);
  team_.barrier(w);
  deferred_sums_.check(run, w);
}

void Executor::backward(Execution& run, Gradients& gradients, bool defer) {
  choose_deferred(run, gradients, defer);
  std::unique_lock renewing = weights_->lock();  // other values may have been bound and evaluated since
  const bool stale = is_stale(renewing);
  const auto work = [&](int w) {
    const cpu::TileScope tiles(precision_);
    if (stale) renew_weights(w);
    go_back(run, gradients, Directions::kBackward, w);
  };
  team_.run(std::ref(work), run.is_alone);
  if (stale) weights_->mark_fresh(*parameters_);
  add_loads(run);
  run.went_back = true;
  if (!DeferredSums::is_safe(run)) deferred_sums_.compute(run, gradients);
}

bool Executor::train(Execution& run, Gradients& gradients, bool defer, Update& update,
                     const std::function<double()>& loss, StepSeconds& seconds) {
  run.went_back = false;
  run.loaded = {};
  steps_.open(run);
  std::unique_lock renewing = weights_->lock();
  const bool stale = is_stale(renewing);
  choose_deferred(run, gradients, defer);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Clock::time_point summed;
  const auto work = [&](int w) {
    const cpu::TileScope tiles(precision_);
    if (stale) renew_weights(w);
    go_back(run, gradients, Directions::kBoth, w);
    if (w == 0) summed = Clock::now();
    update.take_part(
        {w, w, team_.size()}, loss, [&] { team_.barrier(w); }, [&run] { return DeferredSums::is_safe(run); });
  };
  team_.run_and_compare(std::ref(work), run.is_alone, work_of(run));
  const auto between = [](auto from, auto to) { return std::chrono::duration<double>(to - from).count(); };
  seconds = {between(start, run.turned), between(run.turned, summed), between(summed, Clock::now())};
  if (stale) weights_->mark_fresh(*parameters_);
  steps_.close(run);
  add_loads(run);
  run.went_back = true;
  if (DeferredSums::is_safe(run)) return true;
  deferred_sums_.compute(run, gradients);
  return false;
}

void Executor::add_loads(Execution& run) {
  for (const std::unique_ptr<Worker>& worker : workers_) {
    if (worker->loads == nullptr) return;
    const LoadedWeights loaded = worker->loads->take();
    run.loaded.bytes += loaded.bytes, run.loaded.task_bytes += loaded.task_bytes;
  }
}

/// A run that an exception ended leaves workers as they were.
void Executor::run_steps(Execution& run, Directions directions, Gradients* gradients, int number) {
  Worker& worker = *workers_[number];
  worker.run = &run, worker.gradients = gradients;
  worker.seconds = profile_ && number == 0 ? &run.seconds : nullptr;
  std::ranges::fill(worker.touched, 0);
  std::ranges::fill(worker.summed, 0);
  steps_.run(run, worker, directions);
}

StepView Executor::view(const Execution& run, std::int32_t type) const {
  StepView view;
  view.run = &run, view.parameters = parameters_.get();
  view.type_number = type, view.program = &program_->types[type];
  return view;
}

}  // namespace cavs
