// Compares the choices of the policies with examples from the papers, and with the optimum by exhaustive search.

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "schedule/policy_cases.h"

namespace cavs {
namespace {

/// Finds the smallest number of tasks over all choices of types. A task contains all ready vertices of a type, since
/// smaller tasks never help (ED-Batch, appendix A.1). States are sets of finished vertices.
class ExhaustiveSearch {
 public:
  explicit ExhaustiveSearch(const Minibatch& m) : m_(m), all_((std::uint64_t{1} << m.vertices()) - 1) {}
  std::int64_t fewest_tasks(std::uint64_t done = 0) {
    if (done == all_) return 0;
    if (const auto known = known_.find(done); known != known_.end()) return known->second;
    std::vector<std::uint64_t> ready(m_.type_count.size());
    for (std::int32_t v = 0; v < m_.vertices(); ++v)
      if ((done >> v & 1) == 0 && is_ready(v, done)) ready[m_.types[v]] |= std::uint64_t{1} << v;
    std::int64_t fewest = m_.vertices();
    for (const std::uint64_t task : ready)
      if (task != 0) fewest = std::min(fewest, 1 + fewest_tasks(done | task));
    return known_[done] = fewest;
  }

 private:
  bool is_ready(std::int32_t vertex, std::uint64_t done) const {
    for (std::int32_t k = m_.child_begin[vertex]; k < m_.child_begin[vertex + 1]; ++k)
      if (m_.children[k] >= 0 && (done >> m_.children[k] & 1) == 0) return false;
    return true;
  }

  const Minibatch& m_;
  std::uint64_t all_;
  std::map<std::uint64_t, std::int64_t> known_;
};

GraphSet one_graph(std::vector<std::string> types, const TypedGraph& graph) {
  GraphSet set({.types = std::move(types)});
  set.add(graph.graph());
  return set;
}

Packed pack(const GraphSet& graphs) { return {compile(typed_model(graphs.schema().types)), graphs}; }

RC_GTEST_PROP(Policies, NoneIsBelowTheOptimumNorThatBelowTheLowerBound, ()) {
  RandomDagOptions options;
  options.vertices = *rc::gen::inRange(1, 14);
  options.min_arity = *rc::gen::inRange(0, 2);
  options.types = *rc::gen::inRange(2, 5);
  const GraphSet graphs = typed_dags(options, *rc::gen::inRange(1, 3), *rc::gen::arbitrary<std::uint32_t>());
  const Packed packed = pack(graphs);
  const std::int64_t optimum = ExhaustiveSearch(packed.minibatch).fewest_tasks();
  RC_ASSERT(lower_bound(packed.minibatch) <= optimum);
  for (const PolicyDef& policy : all_policies()) RC_ASSERT(tasks_of(packed, policy.name) >= optimum);
}

/// ED-Batch, figure 1: 9 batches by depth, 7 by the agenda, and 6 at best.
TEST(Policies, TheTreeOfFigure1HasThePapersBatches) {
  TypedGraph tree;
  tree.add_figure_1a(0, 1, 2);
  const Packed packed = pack(one_graph({"inner", "output", "reduction"}, tree));
  EXPECT_EQ(tasks_of(packed, "frontier"), 9);
  EXPECT_EQ(tasks_of(packed, "depth"), 9);
  EXPECT_EQ(tasks_of(packed, "agenda"), 7);
  EXPECT_EQ(tasks_of(packed, "ratio"), 6);
  for (StateEncoding encoding :
       {StateEncoding::kBase, StateEncoding::kMax, StateEncoding::kSort, StateEncoding::kPhase})
    EXPECT_EQ(tasks_of(packed, "fsm", encoding), 6) << encoding_name(encoding);
  EXPECT_EQ(lower_bound(packed.minibatch), 6);
  EXPECT_EQ(ExhaustiveSearch(packed.minibatch).fewest_tasks(), 6);
}

/// Appendix A.4: a second tree, with inner and output vertices swapped, above the first. With both types ready, each
/// tree needs a different type first. Only the number of finished vertices tells the two states apart.
TEST(Policies, PhaseSucceedsWhereBaseFails) {
  TypedGraph two;
  const std::int32_t below = two.add_figure_1a(0, 1, 2);
  two.add_figure_1a(1, 0, 2, {below});
  const Packed packed = pack(one_graph({"inner", "output", "reduction"}, two));
  EXPECT_EQ(lower_bound(packed.minibatch), 12);
  EXPECT_EQ(tasks_of(packed, "fsm", StateEncoding::kPhase), 12);
  EXPECT_EQ(tasks_of(packed, "fsm", StateEncoding::kBase), 15);
}

struct Family {
  const char* name;
  GraphSet (*draw)(std::int32_t count, std::uint64_t seed);
  double most_over_bound;  // bound for the policy fsm
};

class Families : public testing::TestWithParam<Family> {};

/// Rules that are learned on some samples also work for others.
TEST_P(Families, FsmGeneralisesAndIsNeverWorseThanTheHeuristics) {
  const GraphSet learned_on = GetParam().draw(100, 1), used_on = GetParam().draw(64, 2);
  const Packed learned = pack(learned_on);
  Packed used(learned.program, used_on);
  for (const std::uint64_t seed : {1, 2, 3}) {
    FsmPolicy fsm(learn_policy(GetParam().name, *learned.bound, {.seed = seed}));
    const auto tasks = static_cast<std::int64_t>(schedule_of(used, fsm).tasks.size());
    for (const char* other : {"frontier", "agenda", "ratio"}) EXPECT_LE(tasks, tasks_of(used, other)) << other;
    EXPECT_LE(static_cast<double>(tasks), GetParam().most_over_bound * lower_bound(used.minibatch)) << "seed " << seed;
  }
}
INSTANTIATE_TEST_SUITE_P(
    Fsm, Families,
    testing::Values(
        Family{"trees", [](std::int32_t count, std::uint64_t seed) { return output_trees(count, 1, seed); }, 1.0},
        Family{"two_types", [](std::int32_t count, std::uint64_t seed) { return output_trees(count, 2, seed); }, 1.15},
        Family{"lattices", random_lattices, 1.15}),
    [](const auto& family) { return std::string(family.param.name); });

TEST(Fsm, UsesRatioForUnknownStatesAndCountsThem) {
  const GraphSet trees = output_trees(20, 2, 1);
  const Packed packed = pack(trees);
  LearnedPolicy policy = learn_policy("trees", *packed.bound);
  ASSERT_FALSE(policy.rules.empty());
  FsmPolicy learned(policy);
  schedule_of(packed, learned);
  EXPECT_EQ(learned.fallbacks(), 0);
  policy.rules.clear();
  FsmPolicy knows_nothing(policy);
  const Schedule schedule = schedule_of(packed, knows_nothing);
  EXPECT_EQ(schedule.tasks, schedule_of(packed, "ratio").tasks);
  EXPECT_GT(knows_nothing.fallbacks(), 0);
}

TEST(Fsm, DistinguishesStatesAsItsEncodingDefines) {
  std::vector<Frontier::Type> types(4);
  types[0].ready = 2;
  types[2].ready = 5;
  types[3].ready = 3;
  const Frontier frontier{types, 80, 30};  // 50 of 80 vertices are done
  const auto state = [&](StateEncoding encoding) {
    return StateEncoder({.encoding = encoding, .phases = 8}).encode(frontier);
  };
  EXPECT_EQ(state(StateEncoding::kBase), (FrontierState{0, 2, 3, 0}));
  EXPECT_EQ(state(StateEncoding::kMax), (FrontierState{2, 0, 3, 0}));
  EXPECT_EQ(state(StateEncoding::kSort), (FrontierState{2, 3, 0, 0}));
  EXPECT_EQ(state(StateEncoding::kPhase), (FrontierState{2, 3, 0, 5}));
}

}  // namespace
}  // namespace cavs
