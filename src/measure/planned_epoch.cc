#include "measure/planned_epoch.h"

#include <algorithm>

#include "plan/planner.h"
#include "schedule/resolve_policy.h"
#include "schedule/schedule.h"

namespace cavs::inline v0_1 {

void each_plan_of_epoch(const Program& program, const GraphSet& data, int batch_size, const SessionOptions& session,
                        const std::function<void(const PreparedBatch&)>& f) {
  const BoundGraphs bound(program, data);
  const auto policy = resolve_policy(session.policy, session.learned.get(), program);
  PreparedBatch batch;
  Minibatch& minibatch = batch.minibatch;
  Scheduler scheduler;
  Planner planner(program);
  for (std::int64_t first = 0; first < data.size(); first += batch_size) {
    minibatch.clear(bound);
    const auto end = static_cast<std::int32_t>(std::min<std::int64_t>(first + batch_size, data.size()));
    for (auto s = static_cast<std::int32_t>(first); s < end; ++s) minibatch.add(s);
    make_schedule(minibatch, *policy, scheduler, batch.schedule);
    planner.make(minibatch, batch.schedule, batch.plan);
    f(batch);
  }
}

}  // namespace cavs::inline v0_1
