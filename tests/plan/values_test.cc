// A plan is a value: one is written down by hand, plans are copied and compared.

#include <gtest/gtest.h>

#include "helpers/models.h"
#include "pack/minibatch.h"
#include "plan/planner.h"
#include "schedule/policy.h"

namespace cavs {
namespace {

/// h = tanh(gather(0, h) * W + b): a product, of which a task needs the rows, and a loop.
Model cell() {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    const Value product = v.gather(0, "h") * m.parameter("W", {2, 2});
    v.scatter("h", tanh(product + m.parameter("b", {2})));
  });
  return m;
}

struct PlannedValues {
  std::shared_ptr<const Program> program;
  BoundGraphs bound;
  Minibatch minibatch;
  Schedule schedule;

  PlannedValues(std::shared_ptr<const Program> p, const GraphSet& graphs)
      : program(std::move(p)), bound(*program, graphs) {
    minibatch.clear(bound);
    for (std::int32_t s = 0; s < graphs.size(); ++s) minibatch.add(s);
    Scheduler scheduler;
    make_schedule(minibatch, *make_policy("frontier"), scheduler, schedule);
  }
  Plan plan() const {
    Plan plan;
    Planner(*program).make(minibatch, schedule, plan);
    return plan;
  }
};

/// Two chains of two vertices: the leaves are rows 0 and 1, a task; their parents rows 2 and 3, another.
Plan plan_of_two_chains(std::int64_t tensor, std::int64_t arena) {
  Plan plan;
  plan.rows = {-1, -1, 0, 1,                // children, by row
               0,  1,  0, 2, 0, 0, kNoRun,  // of the leaves: one row of parameters, rows [0, 2), no edges; no run
               0,  1,  2, 4, 0, 0, -2};     // of the parents: rows [2, 4), which read rows [0, 2) in place
  Plan::Type type;
  type.vertices = 4;
  type.tensors = {tensor};
  type.indices = {{0, 4}};
  type.lookups.resize(1);
  plan.types = {type};
  const Step leaves{.stage = Stage::kTask, .ranges = {4, 7}, .flops = 32, .task = 0, .worker = 0};
  Step parents = leaves;
  parents.ranges = {11, 7}, parents.task = 1;
  plan.steps = {leaves, parents};
  plan.one_parent = {0};
  plan.states = {0};
  plan.state_rows = {{0, 4}};
  plan.state_gradients = {tensor};  // of no rows
  plan.type_begin = {0, 4};
  plan.samples = 2;
  plan.arena = arena;
  return plan;
}

TEST(PlanValue, OfTwoChains) {
  const GraphSet graphs = graphs_from_text("0>1 | 2>3");
  const CompileOptions options{.training = false, .disabled_passes = {"fuse_rows"}};
  // The state has 4 rows of 2, the product those of a task: 8 and 4 floats, from whole cache lines on.
  EXPECT_TRUE(PlannedValues(compile(cell(), options), graphs).plan() == plan_of_two_chains(16, 32));
  // The target says what is aligned.
  EXPECT_TRUE(PlannedValues(compile(cell(), options, {.alignment = 4}), graphs).plan() == plan_of_two_chains(8, 12));
}

TEST(PlanValue, CopiesAreEqualUntilTheyAreChanged) {
  for (const ZooCase& zoo : zoo_cases(4, 0.2)) {
    const PlannedValues planned(compile(zoo.model), zoo.graphs);
    const Plan plan = planned.plan();
    EXPECT_TRUE(plan == planned.plan()) << zoo.name;
    Plan copy = plan;
    EXPECT_TRUE(copy == plan) << zoo.name;
    copy.rows.back() += 1;
    EXPECT_FALSE(copy == plan) << zoo.name;
    copy = plan;
    copy.steps.back().waits = !copy.steps.back().waits;
    EXPECT_FALSE(copy == plan) << zoo.name;
    copy = plan;
    copy.types.back().tensors.push_back(0);
    EXPECT_FALSE(copy == plan) << zoo.name;
  }
}

}  // namespace
}  // namespace cavs
