// A plan is a value: compares plans with one that is written by hand.

#include <gtest/gtest.h>

#include "helpers/models.h"
#include "helpers/planned.h"

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

/// Two chains of two vertices. The leaves have rows 0 and 1 and form one task; their parents have rows 2 and 3.
Plan plan_of_two_chains(std::int64_t tensor, std::int64_t arena) {
  Plan plan;
  plan.rows = {-1, -1, 0, 1,                // children of each row
               0,  1,  0, 2, 0, 0, kNoRun,  // leaves: one row of parameters, rows [0, 2), no edges, no run
               0,  1,  2, 4, 0, 0, -2};     // parents: rows [2, 4), which read rows [0, 2) in place
  Plan::Type type;
  type.vertices = 4;
  type.tensors = {tensor};
  type.indices = {{0, 4}};
  type.lookups.resize(1);
  plan.types = {type};
  const Step leaves{.stage = Stage::kTask, .ranges = {4, 7}, .flops = 32, .task = 0};
  Step parents = leaves;
  parents.ranges = {11, 7};
  parents.task = 1;
  plan.steps = {leaves, parents};
  plan.one_parent = {0};
  plan.states = {0};
  plan.state_rows = {{0, 4}};
  plan.state_gradients = {tensor};  // has no rows
  plan.type_begin = {0, 4};
  plan.samples = 2;
  plan.arena = arena;
  return plan;
}

TEST(PlanValue, OfTwoChainsMatchesThePlanWrittenByHand) {
  const GraphSet graphs = graphs_from_text("0>1 | 2>3");
  const auto plan_for = [&](const Target& target) {
    const auto program = compile(cell(), {.training = false, .disabled_passes = {"fuse_rows"}}, target);
    return Planned(Bench(program, cell(), graphs)).plan;
  };
  // The state has 4 rows of 2 floats and the product has the 2 rows of a task: 8 and 4 floats, aligned to cache lines.
  EXPECT_TRUE(plan_for({}) == plan_of_two_chains(16, 32));
  // The target sets the alignment.
  EXPECT_TRUE(plan_for({.alignment = 4}) == plan_of_two_chains(8, 12));
}

TEST(PlanValue, IsTheSameForTheSameArguments) {
  for (const ZooCase& zoo : zoo_cases(4, 0.2))
    EXPECT_TRUE(Planned(zoo.model, zoo.graphs).plan == Planned(zoo.model, zoo.graphs).plan) << zoo.name;
}

}  // namespace
}  // namespace cavs
