#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helpers/evaluate.h"
#include "helpers/finite_differences.h"
#include "helpers/models.h"
#include "placement/placement.h"
#include "plan/planner.h"
#include "script/validate_script.h"
#include "script/write_script.h"
#include "share/step_sharer.h"

namespace cavs {

/// A minibatch and its script for this number of processors.
struct Scripted {
  Bench bench;
  Minibatch minibatch;
  Schedule schedule;
  Plan plan;
  StepShares shares;
  WeightPlacement placement;
  Script script;

  Scripted(const Model& model, const GraphSet& graphs, int processors, std::string_view policy = "frontier",
           const CompileOptions& options = {})
      : bench(model, graphs, options), minibatch(packed(*bench.bound, all_samples(graphs))) {
    Scheduler scheduler;
    make_schedule(minibatch, *make_policy(policy), scheduler, schedule);
    Planner(*bench.program).make(minibatch, schedule, plan);
    StepSharer(*bench.program, processors).share(minibatch, schedule, plan, shares);
    placement = place_weights(*bench.program, cpu_target(processors, std::int64_t{2} << 20));
    ScriptWriter(*bench.program, placement).make(plan, shares, script);
  }

  /// Entries of F and ∂F, and entries of the update.
  std::span<ScriptEntry> instructions() { return std::span(script.entries).first(script.update); }
  std::span<ScriptEntry> update() { return std::span(script.entries).subspan(script.update); }
  std::vector<std::string> faults() const { return find_faults(*bench.program, placement, plan, script); }
};

}  // namespace cavs
