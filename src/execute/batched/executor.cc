#include "execute/batched/executor.h"

#include <algorithm>
#include <functional>

#include "backend/cpu/target.h"
#include "execute/batched/lookup_gradients.h"
#include "support/check.h"

namespace cavs {
namespace {

/// The sizes of blocks that these kernels work by; what the program fuses is its own affair.
void check_target(const Target& made_for) {
  CAVS_ASSERT(made_for.slice_columns == cpu::kTarget.slice_columns && made_for.sum_rows == cpu::kTarget.sum_rows &&
              made_for.alignment % cpu::kTarget.alignment == 0);
}

bool is_small_task(const Step& step) { return step.one_worker() && step.stage == Stage::kTask; }

Workers make_workers(Parameters& parameters, Team& team, bool profile) {
  Workers workers;
  for (int w = 0; w < team.size(); ++w) workers.push_back(std::make_unique<Worker>(w, team, parameters));
  workers.front()->profiled = profile;
  return workers;
}

}  // namespace

Executor::Executor(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters, Team& team,
                   const SessionOptions& options, cpu::Precision precision, std::shared_ptr<PackedWeights> weights)
    : program_(std::move(program)),
      parameters_(std::move(parameters)),
      team_(team),
      weights_(std::move(weights)),
      workers_(make_workers(*parameters_, team, options.profile)),
      instructions_(*program_, *weights_, precision, options.seed),
      stream_(*program_, instructions_),
      deferral_(*program_, options.defer_from),
      deferred_sums_(*program_, team, workers_, instructions_, precision) {
  check_target(program_->target);
}

void Executor::forward(Execution& run) {
  run.went_back = false;
  stream_.open(run, workers_);
  std::unique_lock renewing = weights_->lock();
  const bool stale = weights_->stale(*parameters_);
  if (!stale) renewing.unlock();
  const auto work = [&](int w) {
    if (stale) {
      weights_->refresh(*parameters_, w, team_.size());
      team_.barrier(w);
    }
    run_steps(run, false, nullptr, w);
  };
  team_.run(std::ref(work));  // a std::function of the lambda itself would allocate
  if (stale) weights_->mark_fresh(*parameters_);
  stream_.close(run);
}

void Executor::backward(Execution& run, Gradients& gradients, bool defer) {
  gradients.deferred.assign(gradients.values.size(), 0);
  if (defer)
    deferral_.choose(run.plan(), run.deferred);
  else
    run.deferred.sums.clear(), run.deferred.is_deferred.assign(gradients.values.size(), 0);
  const auto work = [&](int w) {
    clear_tables(*program_, gradients, w, team_.size());
    team_.barrier(w);
    run_steps(run, true, &gradients, w);
    instructions_.finish_gradients(*workers_[w]);
  };
  team_.run(std::ref(work));
  deferred_sums_.settle(run, gradients);
  run.went_back = true;
  note_touched_rows(run.plan(), gradients);
}

/// A run that an exception ended leaves workers as they were.
void Executor::begin_run(Worker& worker, Execution& run, Gradients* gradients, int number) const {
  worker.run = &run, worker.gradients = gradients;
  worker.number = number, worker.workers = team_.size();
  std::ranges::fill(worker.touched, 0);
  std::ranges::fill(worker.summed, 0);
}

void Executor::run_steps(Execution& run, bool backward, Gradients* gradients, int number) {
  Worker& worker = *workers_[number];
  begin_run(worker, run, gradients, number);
  const auto chunk = [&] { return stream_.run_chunk(worker); };
  const std::function<bool()> none, meanwhile = std::ref(chunk);
  const bool streaming = !backward && !run.plan().chunks.empty();
  const Step* last = nullptr;
  for (const Step& step : run.plan().steps) {
    if (step.backward != backward) continue;
    const bool ends_stream = streaming && step.stage == Stage::kLazy;
    if (last != nullptr && (ends_stream || step.waits || !last->one_worker() || !step.one_worker()))
      team_.barrier(number, streaming && number != 0 && is_small_task(*last) ? meanwhile : none);
    last = &step;
    if (step.one_worker() && number != step.worker) continue;
    worker.enter(step, *program_);
    worker.number = step.one_worker() ? 0 : number, worker.workers = step.one_worker() ? 1 : team_.size();
    run_step(worker);
    if (streaming && is_small_task(step))
      stream_.publish(static_cast<std::int32_t>(&step - run.plan().steps.data()) + 1);
  }
  worker.number = number, worker.workers = team_.size();
}

void Executor::run_step(Worker& worker) {
  const Step& step = *worker.step;
  const Code& code = worker.program->at(step.backward, step.stage);
  const std::int32_t by_rows = worker.program->cost_at(step.backward, step.stage).by_rows;
  for (std::int32_t k = stream_.skip_streamed(worker); k < static_cast<std::int32_t>(code.size()); ++k) {
    if (k == by_rows) worker.from = &step;
    if (code[k].barrier && worker.workers > 1) worker.wait();
    instructions_.run(worker, code[k]);
  }
}

const float* Executor::base(const Execution& run, std::int32_t type, const Operand& operand) const {
  Step step;
  step.type = type;
  StepView view;
  view.run = const_cast<Execution*>(&run), view.parameters = parameters_.get();
  view.enter(step, *program_);
  return view.base(operand);
}

}  // namespace cavs
