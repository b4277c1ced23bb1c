#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "helpers/finite_differences.h"
#include "plan/planner.h"
#include "schedule/schedule.h"

namespace cavs {

/// All samples of a data set as a minibatch, with its schedule and its plan.
struct Planned {
  Bench bench;
  Minibatch minibatch;
  Schedule schedule;
  Plan plan;

  explicit Planned(Bench of, std::string_view policy = "frontier", int workers = 1,
                   Streaming streaming = Streaming::kOff)
      : bench(std::move(of)), minibatch(packed(*bench.bound, all_samples(bench.bound->graphs()))) {
    Scheduler scheduler;
    make_schedule(minibatch, *make_policy(policy), scheduler, schedule);
    Planner(*bench.program, streaming, workers).make(minibatch, schedule, plan);
  }
  Planned(const Model& model, const GraphSet& graphs, const CompileOptions& options = {},
          std::string_view policy = "frontier")
      : Planned(Bench(model, graphs, options), policy) {}
};

}  // namespace cavs
