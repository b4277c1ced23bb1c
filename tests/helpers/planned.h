#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "helpers/finite_differences.h"
#include "plan/planner.h"
#include "schedule/schedule.h"
#include "share/step_sharer.h"

namespace cavs {

/// All samples of a data set as one minibatch, with its schedule, its plan, and the assignment of steps to workers.
struct Planned {
  Bench bench;
  Minibatch minibatch;
  Schedule schedule;
  Plan plan;
  StepShares shares;

  explicit Planned(Bench of, std::string_view policy = "frontier", int workers = 1)
      : bench(std::move(of)), minibatch(packed(*bench.bound, all_samples(bench.bound->graphs()))) {
    Scheduler scheduler;
    make_schedule(minibatch, *make_policy(policy), scheduler, schedule);
    Planner(*bench.program).make(minibatch, schedule, plan);
    StepSharer(*bench.program, workers).share(minibatch, schedule, plan, shares);
  }
  Planned(const Model& model, const GraphSet& graphs, const CompileOptions& options = {},
          std::string_view policy = "frontier")
      : Planned(Bench(model, graphs, options), policy) {}
};

}  // namespace cavs
