#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helpers/typed_graphs.h"
#include "schedule/fsm.h"
#include "schedule/schedule.h"

namespace cavs {

/// The policy of this name. `fsm` learns on the graphs.
inline std::unique_ptr<Policy> policy_for(const Packed& graphs, std::string_view name,
                                          StateEncoding encoding = StateEncoding::kSort) {
  if (name != "fsm") return make_policy(name);
  return std::make_unique<FsmPolicy>(learn_policy("cells", *graphs.bound, {.encoding = encoding, .trials = 200}));
}

inline Schedule schedule_of(const Packed& graphs, Policy& policy) {
  Scheduler scheduler;
  Schedule schedule;
  make_schedule(graphs.minibatch, policy, scheduler, schedule);
  return schedule;
}

inline Schedule schedule_of(const Packed& graphs, std::string_view policy) {
  return schedule_of(graphs, *policy_for(graphs, policy));
}

inline std::int64_t tasks_of(const Packed& graphs, std::string_view policy,
                             StateEncoding encoding = StateEncoding::kSort) {
  return static_cast<std::int64_t>(schedule_of(graphs, *policy_for(graphs, policy, encoding)).tasks.size());
}

/// Describes an error in the schedule, or returns "".
inline std::string fault(const Schedule& s, const Minibatch& m) {
  std::vector<std::int32_t> step_of(m.vertices(), -1), next(m.type_count.size(), 0);
  for (std::size_t step = 0; step < s.tasks.size(); ++step) {
    const Task& task = s.tasks[step];
    if (task.begin != next[task.type] || task.end <= task.begin) return "rows are not contiguous, in task order";
    next[task.type] = task.end;
    for (std::int32_t r = task.begin; r < task.end; ++r) {
      const std::int32_t v = s.vertex[s.type_begin[task.type] + r];
      if (m.types[v] != task.type) return "a vertex of another type";
      if (step_of[v] >= 0) return "a vertex is repeated";
      if (s.row[v] != s.type_begin[task.type] + r) return "row and vertex are not each other's inverse";
      step_of[v] = static_cast<std::int32_t>(step);
    }
  }
  for (std::int32_t v = 0; v < m.vertices(); ++v) {
    if (step_of[v] < 0) return "a vertex is missing";
    for (std::int32_t k = m.child_begin[v]; k < m.child_begin[v + 1]; ++k)
      if (m.children[k] >= 0 && step_of[m.children[k]] >= step_of[v]) return "a vertex before its child";
  }
  return "";
}

}  // namespace cavs
