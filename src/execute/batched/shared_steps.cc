#include "execute/batched/shared_steps.h"

namespace cavs {
namespace {

bool is_small_task(const Step& step) { return step.one_worker() && step.stage == Stage::kTask; }

}  // namespace

void SharedSteps::run(Worker& worker, Directions directions) {
  if (directions != Directions::kBackward) run_pass(worker, false);
  if (directions == Directions::kBoth) {
    team_.barrier(worker.number);
    if (worker.number == 0) worker.run->turned = std::chrono::steady_clock::now();
  }
  if (directions != Directions::kForward) run_pass(worker, true);
}

void SharedSteps::run_pass(Worker& worker, bool backward) {
  const Plan& plan = worker.plan();
  const int number = worker.number;
  const auto chunk = [&] { return stream_.run_chunk(worker); };
  const std::function<bool()> none, meanwhile = std::ref(chunk);
  const bool streaming = !backward && !plan.chunks.empty();
  const Step* last = nullptr;
  for (const Step& step : plan.steps) {
    if (step.backward != backward) continue;
    const bool ends_stream = streaming && step.stage == Stage::kLazy;
    if (last != nullptr && (ends_stream || step.waits || !last->one_worker() || !step.one_worker()))
      team_.barrier(number, streaming && number != 0 && is_small_task(*last) ? meanwhile : none);
    last = &step;
    if (step.one_worker() && number != step.worker && team_.size() > 1) continue;
    worker.enter(step, program_);
    worker.number = step.one_worker() ? 0 : number, worker.workers = step.one_worker() ? 1 : team_.size();
    run_step(worker);
    if (streaming && is_small_task(step)) stream_.publish(static_cast<std::int32_t>(&step - plan.steps.data()) + 1);
  }
  worker.number = number, worker.workers = team_.size();
}

void SharedSteps::run_step(Worker& worker) {
  const Step& step = *worker.step;
  const Code& code = worker.program->at(step.backward, step.stage);
  const std::int32_t by_rows = worker.program->cost_at(step.backward, step.stage).by_rows;
  for (std::int32_t k = stream_.skip_streamed(worker); k < static_cast<std::int32_t>(code.size()); ++k) {
    if (k == by_rows) worker.from = &step;
    if (code[k].barrier && worker.workers > 1) worker.wait();
    instructions_.run(worker, code[k]);
  }
}

}  // namespace cavs
