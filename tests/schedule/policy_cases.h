#pragma once

#include <memory>
#include <string_view>

#include "helpers/typed_graphs.h"
#include "schedule/fsm.h"
#include "schedule/schedule.h"

namespace cavs {

/// A policy by its name; `fsm` learns on the graphs.
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

}  // namespace cavs
