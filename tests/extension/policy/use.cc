// The new policy is found by name, and its schedules are valid.

#include "helpers/typed_graphs.h"
#include "schedule/policy_cases.h"

namespace cavs::inline v0_1 {
namespace {

TEST(NewPolicy, MakesValidSchedules) {
  for (int types = 1; types <= 4; ++types) {
    const GraphSet graphs = typed_dags({.vertices = 40, .min_arity = 0, .max_arity = 3, .types = types}, 5, 7);
    const Packed packed(compile(typed_model(numbered_types(types))), graphs);
    const Schedule schedule = schedule_of(packed, "most-left");
    EXPECT_EQ(fault(schedule, packed.minibatch), "") << types << " types";
    EXPECT_GE(static_cast<std::int64_t>(schedule.tasks.size()), lower_bound(packed.minibatch)) << types << " types";
  }
}

TEST(NewPolicy, ChoosesTheTypeWithTheMostRemainingVertices) {
  TypedGraph g;  // one vertex of type 0 and three of type 1, all ready
  for (const int type : {0, 1, 1, 1}) g.add(type);
  GraphSet graphs({.types = numbered_types(2)});
  graphs.add(g.graph());
  const Packed packed(compile(typed_model(numbered_types(2))), graphs);
  EXPECT_EQ(to_text(schedule_of(packed, "most-left"), numbered_types(2)), "step 0: type1{1 2 3}\nstep 1: type0{0}\n");
}

TEST(NewPolicy, RunsInASession) {
  const GraphSet graphs = typed_dags({.vertices = 40, .min_arity = 0, .max_arity = 3, .types = 3}, 5, 7);
  Model m;
  for (const std::string& type : numbered_types(3))
    m.vertex_function(type, [&](Vertex& v) {
      auto h = tanh(sum(v.children("h")) + m.parameter("b of " + type, {4}, Initializer::uniform(1)));
      v.scatter("h", h);
      v.push("h", h);
      v.loss(sum_features(h));
    });
  const Bench bench(m, graphs);
  const auto samples = all_samples(graphs);
  expect_same_numbers(bench.run(samples, {.policy = "most-left"}),
                      bench.run(samples, {.engine = EngineKind::kReference}), *bench.parameters, "most-left");
}

}  // namespace
}  // namespace cavs::inline v0_1
