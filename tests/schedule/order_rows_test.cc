#include "schedule/order_rows.h"

#include <gmock/gmock.h>

#include "helpers/typed_graphs.h"
#include "schedule/policy_cases.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAreArray;

Schedule ordered(const Packed& graphs, Schedule schedule) {
  RowOrder(*graphs.program).order(graphs.minibatch, schedule);
  return schedule;
}

std::vector<std::int32_t> vertices_of(const Schedule& s, const Task& task) {
  const auto first = s.vertex.begin() + s.type_begin[task.type];
  return {first + task.begin, first + task.end};
}

/// Model gathers of two children by number, or of all children together.
Model two_slots(bool apart) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    const Value children = apart ? v.gather(0, "h") + v.gather(1, "h") : sum(v.children("h"));
    v.scatter("h", tanh(children + m.parameter("b", {2})));
  });
  return m;
}

void expect_same_vertices_in_every_task(const Packed& graphs, const std::string& what) {
  for (const PolicyDef& policy : all_policies()) {
    const Schedule before = schedule_of(graphs, policy.name), after = ordered(graphs, before);
    ASSERT_EQ(after.tasks, before.tasks) << what;
    EXPECT_EQ(after.type_begin, before.type_begin) << what;
    for (const Task& task : before.tasks)
      EXPECT_THAT(vertices_of(after, task), UnorderedElementsAreArray(vertices_of(before, task)))
          << what << ", " << policy.name;
    for (std::size_t r = 0; r < after.vertex.size(); ++r)
      EXPECT_EQ(after.row[after.vertex[r]], static_cast<std::int32_t>(r)) << what << ", " << policy.name;
  }
}

TEST(RowOrder, KeepsTheVerticesOfEveryTask) {
  for (const NamedGraphs& zoo : graph_zoo())
    expect_same_vertices_in_every_task(Packed(compile(two_slots(false)), zoo.graphs), zoo.name);
  const GraphSet binary = random_dags({.vertices = 25, .min_arity = 0, .max_arity = 2, .absent = 0.2F}, 5, 3);
  expect_same_vertices_in_every_task(Packed(compile(two_slots(true)), binary), "two slots");
}

TEST(RowOrder, KeepsTheVerticesOfEveryTaskOfTypedDags) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const RandomDagOptions options{.vertices = 1 + static_cast<std::int32_t>(seed),
                                   .min_arity = 0,
                                   .max_arity = static_cast<std::int32_t>(seed % 5),
                                   .types = 1 + static_cast<std::int32_t>(seed % 4),
                                   .absent = 0.2F};
    const Packed graphs(compile(typed_model(numbered_types(options.types))), typed_dags(options, 4, seed));
    expect_same_vertices_in_every_task(graphs, "seed " + std::to_string(seed));
  }
}

TEST(RowOrder, ChainsStandByTheirLengths) {
  const Packed graphs(compile(two_slots(true)), dressed_set({chain(2), chain(3), chain(1), chain(3)}));
  const Schedule s = ordered(graphs, schedule_of(graphs, "frontier"));  // chains begin at 0, 2, 5, 6
  EXPECT_EQ(to_text(s, {"cell"}),
            "step 0: cell{5 0 2 6}\n"
            "step 1: cell{1 3 7}\n"
            "step 2: cell{4 8}\n");
}

TEST(RowOrder, ChildrenStandSlotBySlotOrVertexByVertex) {
  const GraphSet trees = dressed_set({graph_of({{}, {}, {0, 1}}), graph_of({{}, {}, {0, 1}})});
  const auto leaves = [&](bool apart) {
    const Packed graphs(compile(two_slots(apart)), trees);
    const Schedule s = ordered(graphs, schedule_of(graphs, "frontier"));
    return vertices_of(s, s.tasks[0]);
  };
  EXPECT_THAT(leaves(true), ElementsAre(0, 3, 1, 4));
  EXPECT_THAT(leaves(false), ElementsAre(0, 1, 3, 4));
}

TEST(RowOrder, TheFirstTaskThatReadsDecides) {
  // 0 and 1 are read by 2 in the next task, the other way round by 3 in the one after it.
  const Packed graphs(compile(two_slots(false)), dressed_set({graph_of({{}, {}, {1, 0}, {0, 1, 2}})}));
  const Schedule s = ordered(graphs, schedule_of(graphs, "frontier"));
  EXPECT_THAT(vertices_of(s, s.tasks[0]), ElementsAre(1, 0));
}

}  // namespace
}  // namespace cavs
