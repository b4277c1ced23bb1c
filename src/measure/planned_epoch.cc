#include "measure/planned_epoch.h"

#include <algorithm>

#include "plan/planner.h"
#include "schedule/resolve_policy.h"
#include "schedule/schedule.h"

namespace cavs {

void each_plan_of_epoch(const Program& program, const GraphSet& data, int batch_size, const SessionOptions& session,
                        int workers, const std::function<void(const Plan&)>& f) {
  const BoundGraphs bound(program, data);
  const auto policy = resolve_policy(session.policy, session.learned.get(), program);
  Minibatch minibatch;
  Scheduler scheduler;
  Schedule schedule;
  Planner planner(program, Streaming::kOff, workers);
  Plan plan;
  for (std::int64_t first = 0; first < data.size(); first += batch_size) {
    minibatch.clear(bound);
    const auto end = static_cast<std::int32_t>(std::min<std::int64_t>(first + batch_size, data.size()));
    for (auto s = static_cast<std::int32_t>(first); s < end; ++s) minibatch.add(s);
    make_schedule(minibatch, *policy, scheduler, schedule);
    planner.make(minibatch, schedule, plan);
    f(plan);
  }
}

}  // namespace cavs
