#include "inspect/print_script.h"

#include <gmock/gmock.h>

#include "cavs/graph.h"
#include "cavs/model.h"
#include "helpers/evaluate.h"
#include "helpers/finite_differences.h"
#include "placement/placement_text.h"
#include "plan/planner.h"
#include "schedule/policy.h"
#include "script/write_script.h"

namespace cavs {
namespace {

/// h = tanh(gather(0, h) * W + b) with 64 columns, which two processors share.
Model wide_cell() {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    auto y = tanh(v.gather(0, "h") * m.parameter("W", {64, 64}) + m.parameter("b", {64}));
    v.scatter("h", y);
  });
  return m;
}

WeightPlacement placed(const Program& program) {
  return place_weights(program, {.name = "test", .processors = 2, .memories = {{"cache", 12 << 10}}});
}

TEST(PrintPlacement, ShowsTheOwnerAndTheMemoryOfEachUnit) {
  const auto program = compile(wide_cell(), {.training = false});
  EXPECT_EQ(to_text(placed(*program), *program),
            "weights on test: 2 processors\n"
            "  weight  units  columns  owners          memory\n"
            "  W       4      1 x 16   0: 0-1, 1: 2-3  16.0 KiB cache\n"
            "used on the fullest processor: 8.0 KiB of 12.0 KiB cache\n");
}

TEST(PrintScript, HasALinePerEntryAndTheLoads) {
  const GraphSet graphs = graphs_from_text("0>1 1>2");
  const Bench bench(wide_cell(), graphs, {.training = false});
  const Minibatch minibatch = packed(*bench.bound, all_samples(graphs));
  Scheduler scheduler;
  Schedule schedule;
  make_schedule(minibatch, *make_policy("frontier"), scheduler, schedule);
  Plan plan;
  Planner(*bench.program).make(minibatch, schedule, plan);
  const WeightPlacement placement = placed(*bench.program);
  Script script;
  // the whole team shares every step
  ScriptWriter(*bench.program, placement).make(plan, StepShares(plan.steps.size()), script);
  EXPECT_EQ(to_text(script, *bench.program, plan),
            "entry  pass     function  stage  instruction  rows  share    waits for\n"
            "0      forward  cell      task   row_group    0-0   columns\n"
            "1      forward  cell      task   row_group    1-1   columns  all 0\n"
            "2      forward  cell      task   row_group    2-2   columns  all 1\n"
            "3 entries, 2 waits; 2 processors, load 50.0 %, 50.0 %\n");
}

}  // namespace
}  // namespace cavs
