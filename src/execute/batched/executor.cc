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

Workers make_workers(Parameters& parameters, Team& team, bool profile) {
  Workers workers;
  for (int w = 0; w < team.size(); ++w) workers.push_back(std::make_unique<Worker>(w, team, parameters));
  workers.front()->profiled = profile;
  return workers;
}

}  // namespace

Executor::Executor(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters, Team& team,
                   const SessionOptions& options, cpu::Precision precision, std::shared_ptr<PackedWeights> weights,
                   const MakeDriver& make_driver)
    : program_(std::move(program)),
      parameters_(std::move(parameters)),
      team_(team),
      weights_(std::move(weights)),
      workers_(make_workers(*parameters_, team, options.profile)),
      instructions_(*program_, *weights_, precision, options.seed),
      driver_(make_driver({*program_, *weights_, precision, instructions_, workers_, team})),
      deferral_(*program_, options.defer_from),
      deferred_sums_(*program_, team, workers_, instructions_, precision) {
  check_target(program_->target);
}

void Executor::forward(Execution& run) {
  run.went_back = false;
  driver_->open(run);
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
  driver_->close(run);
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
void Executor::run_steps(Execution& run, bool backward, Gradients* gradients, int number) {
  Worker& worker = *workers_[number];
  worker.run = &run, worker.gradients = gradients;
  worker.number = number, worker.workers = team_.size();
  std::ranges::fill(worker.touched, 0);
  std::ranges::fill(worker.summed, 0);
  driver_->run(worker, backward);
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
