// Law 3: every schedule is valid, and never has fewer tasks than the lower bound.

#include "schedule/schedule.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "graphs/error_text.h"
#include "helpers/finite_differences.h"
#include "helpers/typed_graphs.h"
#include "schedule/policy_cases.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Graphs in one minibatch, with their schedules for any policy. `fsm` learns on these graphs.
struct Graphs : Packed {
  explicit Graphs(const GraphSet& set, int types = 1)
      : Packed(compile(typed_model(types == 1 ? std::vector<std::string>{"cell"} : numbered_types(types))), set) {}
  Schedule schedule(std::string_view policy) const { return schedule_of(*this, policy); }
};

TEST(Schedule, HasATextOfItsTasks) {
  const Graphs two(graphs_from_text("0>2 1>2 | 3>4"));
  EXPECT_EQ(to_text(two.schedule("frontier"), {"cell"}), "step 0: cell{0 1 3}\nstep 1: cell{2 4}\n");
  EXPECT_EQ(to_text(two.schedule("serial"), {"cell"}),
            "step 0: cell{0}\nstep 1: cell{1}\nstep 2: cell{3}\nstep 3: cell{2}\nstep 4: cell{4}\n");
}

TEST(Schedule, IsValidForEveryShapeOfGraph) {
  for (const NamedGraphs& zoo : graph_zoo()) {
    const Graphs graphs(zoo.graphs);
    for (const PolicyDef& policy : all_policies()) {
      const Schedule schedule = graphs.schedule(policy.name);
      EXPECT_EQ(fault(schedule, graphs.minibatch), "") << zoo.name << ", " << policy.name;
      EXPECT_GE(static_cast<std::int64_t>(schedule.tasks.size()), lower_bound(graphs.minibatch)) << zoo.name;
    }
  }
}

RandomDagOptions any_dag() {
  RandomDagOptions options;
  options.vertices = *rc::gen::inRange(1, 60);
  options.min_arity = *rc::gen::inRange(0, 2);
  options.max_arity = options.min_arity + *rc::gen::inRange(0, 4);
  options.types = *rc::gen::inRange(1, 5);
  options.leaf = static_cast<float>(*rc::gen::inRange(0, 10)) / 10;
  options.absent = static_cast<float>(*rc::gen::inRange(0, 5)) / 10;
  return options;
}

RC_GTEST_PROP(Schedule, IsValidAndNeverBelowTheLowerBoundOnRandomDags, ()) {
  const RandomDagOptions options = any_dag();
  const Graphs graphs(typed_dags(options, *rc::gen::inRange(1, 5), *rc::gen::arbitrary<std::uint32_t>()),
                      options.types);
  for (const PolicyDef& policy : all_policies()) {
    const Schedule schedule = graphs.schedule(policy.name);
    RC_ASSERT(fault(schedule, graphs.minibatch) == "");
    RC_ASSERT(static_cast<std::int64_t>(schedule.tasks.size()) >= lower_bound(graphs.minibatch));
  }
  RC_ASSERT(graphs.schedule("serial").tasks.size() == static_cast<std::size_t>(graphs.minibatch.vertices()));
}

RC_GTEST_PROP(Schedule, FrontierHasOneTaskForEachLevelAndType, ()) {
  const RandomDagOptions options = any_dag();
  const GraphSet set = typed_dags(options, *rc::gen::inRange(1, 5), *rc::gen::arbitrary<std::uint32_t>());
  const Graphs graphs(set, options.types);
  std::set<std::pair<std::int32_t, std::int32_t>> expected, found;
  for (std::size_t v = 0; v < set.levels().size(); ++v) expected.emplace(set.levels()[v], set.types()[v]);
  const Schedule schedule = graphs.schedule("frontier");
  for (const Task& task : schedule.tasks) {
    std::set<std::int32_t> levels;
    for (std::int32_t r = task.begin; r < task.end; ++r)
      // one minibatch has all samples in order
      levels.insert(set.levels()[schedule.vertex[schedule.type_begin[task.type] + r]]);
    RC_ASSERT(levels.size() == 1U);
    RC_ASSERT(found.emplace(*levels.begin(), task.type).second);
  }
  RC_ASSERT(found == expected);
}

TEST(LowerBound, CountsTheLongestPathOfEveryType) {
  EXPECT_EQ(lower_bound(Graphs(graphs_from_text("0>2 1>2 | 3>4")).minibatch), 2);
  EXPECT_EQ(lower_bound(Graphs(dressed_set({chain(9)})).minibatch), 9);
  EXPECT_EQ(lower_bound(Graphs(dressed_set({star(9)})).minibatch), 2);
  GraphSet mixed({.types = {"type0", "type1"}});
  InputGraph graph = chain(5);
  graph.types = {0, 1, 0, 1, 1};
  mixed.add(graph);
  EXPECT_EQ(lower_bound(Graphs(mixed, 2).minibatch), 5);
}

TEST(Schedule, ChildrenOfAChainHaveConsecutiveRows) {
  const Graphs chains(dressed_set({chain(50), chain(50), chain(50)}));
  const Schedule schedule = chains.schedule("frontier");
  for (const Task& task : schedule.tasks)
    for (std::int32_t r = task.begin; r + 1 < task.end; ++r) {
      const auto child = [&](std::int32_t row) {
        const Minibatch& m = chains.minibatch;
        const std::int32_t v = schedule.vertex[row];
        return m.child_begin[v] == m.child_begin[v + 1] ? -1 : schedule.row[m.children[m.child_begin[v]]];
      };
      if (child(r) >= 0) {
        EXPECT_EQ(child(r + 1), child(r) + 1);
      }
    }
}

class GrowingSchedule : public testing::TestWithParam<const char*> {};

TEST_P(GrowingSchedule, IsValid) {
  const GraphSet graphs = typed_dags({.vertices = 20, .types = 2, .absent = 0.1F}, 6, 8);
  const Graphs whole(graphs, 2);
  Minibatch growing;
  growing.clear(*whole.bound);
  Scheduler scheduler;
  scheduler.reset(2, true);
  std::int32_t sample = 0, tasks = 0;
  const auto admit = [&] {
    const std::int32_t first = growing.vertices();
    growing.add(sample++);
    scheduler.add(growing, first);
  };
  admit();
  const auto policy = make_policy(GetParam());
  for (Task task; scheduler.next(growing, *policy, task);) {
    if (++tasks % 2 == 0 && sample < graphs.size()) admit();  // before the task ends
    EXPECT_EQ(scheduler.vertices(task).size(), static_cast<std::size_t>(task.end - task.begin));
    scheduler.retire(growing, task);
    if (sample < graphs.size()) admit();
  }
  EXPECT_EQ(sample, graphs.size());
  EXPECT_EQ(scheduler.waiting(), 0);
  Schedule record;
  scheduler.record(record);
  EXPECT_EQ(fault(record, growing), "");
}
INSTANTIATE_TEST_SUITE_P(EveryPolicy, GrowingSchedule, testing::Values("frontier", "agenda", "ratio", "serial"));

TEST(Schedule, AChainOfAMillionVerticesIsScheduled) {
  GraphSet graphs(GraphSchema{.types = {"cell"}});
  graphs.add(chain(1'000'000));
  const Graphs packed_chain(graphs);
  EXPECT_EQ(packed_chain.schedule("frontier").tasks.size(), 1'000'000U);
  EXPECT_EQ(lower_bound(packed_chain.minibatch), 1'000'000);
}

TEST(Schedule, AVertexOfTenThousandChildrenWaitsForAllOfThem) {
  const Graphs graphs(dressed_set({star(10'000)}));
  const Schedule schedule = graphs.schedule("frontier");
  ASSERT_EQ(schedule.tasks.size(), 2U);
  EXPECT_EQ(schedule.tasks[0].end, 10'000);
}

TEST(Policy, UnknownNameGetsASuggestion) {
  EXPECT_THAT(error_of([] { make_policy("frontiers"); }), AllOf(HasSubstr("'frontiers'"), HasSubstr("frontier")));
}

}  // namespace
}  // namespace cavs
