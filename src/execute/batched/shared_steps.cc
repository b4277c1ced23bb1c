#include "execute/batched/shared_steps.h"

namespace cavs {

void SharedSteps::run(Execution& run, Worker& worker, Directions directions) {
  if (directions != Directions::kBackward) run_pass(worker, false);
  if (directions == Directions::kBoth) {
    team_.barrier(worker.number);
    if (worker.number == 0) run.turned = std::chrono::steady_clock::now();
  }
  if (directions != Directions::kForward) run_pass(worker, true);
}

void SharedSteps::run_pass(Worker& worker, bool backward) {
  const auto& steps = worker.plan().steps;
  const TeamPlan& team = worker.run->team;
  const int number = worker.number;
  const auto chunk = [&] { return stream_.run_chunk(worker); };
  const std::function<bool()> none, meanwhile = std::ref(chunk);
  const bool streaming = !backward && !team.chunks.empty();
  const auto is_small_task = [&](std::size_t s) {
    return team.shares[s].one_worker() && steps[s].stage == Stage::kTask;
  };
  std::size_t last = steps.size();
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const Step& step = steps[s];
    const StepShare& share = team.shares[s];
    if (step.backward != backward) continue;
    const bool ends_stream = streaming && step.stage == Stage::kLazy;
    if (last < s && (ends_stream || share.waits || !team.shares[last].one_worker() || !share.one_worker()))
      team_.barrier(number, streaming && number != 0 && is_small_task(last) ? meanwhile : none);
    last = s;
    if (share.one_worker() && number != share.worker && team_.size() > 1) continue;
    worker.enter(step, program_);
    run_step(worker, share.one_worker() ? worker.alone() : worker.shared());
    if (streaming && is_small_task(s)) stream_.publish(static_cast<std::int32_t>(s) + 1);
  }
}

void SharedSteps::run_step(Worker& worker, const WorkPart& who) {
  const Step& step = *worker.step;
  const Code& code = worker.program->at(step.backward, step.stage);
  const std::int32_t by_rows = worker.program->cost_at(step.backward, step.stage).by_rows;
  const StepRows all = worker.ranges;
  for (std::int32_t k = stream_.skip_streamed(worker); k < static_cast<std::int32_t>(code.size()); ++k) {
    if (k == by_rows) worker.ranges = all;
    if (code[k].barrier && who.parts > 1) worker.wait();
    instructions_.run(worker, who, code[k]);
  }
}

}  // namespace cavs
