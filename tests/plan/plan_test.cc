#include <gmock/gmock.h>

#include <set>

#include "graphs/error_text.h"
#include "helpers/models.h"
#include "helpers/planned.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

TEST(Plan, VerticesWithOneNumberShareARowInADistinctDomain) {
  Model m;
  auto E = m.lookup("E", {kWords, 4});
  m.vertex_function("vertex", [&](Vertex& v) {
    const Value h = tanh(E(v.pull_index("word")) * m.parameter("W", {4, 4}) + sum(v.children("h")));
    v.scatter("h", h);
    v.loss(sum_features(h));
  });
  const GraphSet graphs = dressed_set({chain(40), star(30), chain(1)});
  const Planned p(m, graphs);
  ASSERT_EQ(p.bench.program->types[0].partial_domains, (std::vector<Domain>{{DomainKind::kDistinct, "word"}}));
  const auto words = graphs.index_pulls(0);
  std::set<std::int32_t> distinct(words.begin(), words.end());
  distinct.erase(-1);
  EXPECT_LT(distinct.size(), 72U);
  EXPECT_EQ(p.plan.types[0].partial[0], std::ssize(distinct));
}

TEST(Plan, GradientsOfVerticesWithOneParentAreReadInPlace) {
  const Model model = find_model("tree-lstm").make({.vocabulary = kWords, .embedding = 4, .hidden = 4});
  const Planned tree(model, dressed_set({chain(5), star(4)}));
  EXPECT_THAT(tree.plan.one_parent, Each(1));
  const auto views = [&](const Planned& p) {
    const auto& tensors = p.bench.program->types[0].tensors;
    return std::count_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return p.plan.is_view(t); });
  };
  EXPECT_EQ(views(tree), 2);  // views of c and h
  InputGraph shared = chain(3);
  shared.child_offsets.back() = 3;
  shared.children.push_back(0);  // now both 1 and 2 are parents of 0
  const Planned dag(model, dressed_set({chain(5), shared}));
  EXPECT_THAT(dag.plan.one_parent, Each(0));
  EXPECT_EQ(views(dag), 0);
}

TEST(Plan, InferenceNeedsLessMemoryThanTraining) {
  const ZooCase zoo = zoo_cases(10)[0];
  const Planned training(zoo.model, zoo.graphs), inference(zoo.model, zoo.graphs, {.training = false});
  EXPECT_LT(inference.plan.bytes(), training.plan.bytes() / 2);
}

TEST(Plan, OnlyTypesThatScatterAStateHaveItsRows) {
  for (const ZooCase& zoo : zoo_cases(10)) {
    const Planned p(zoo.model, zoo.graphs);
    const Program& program = *p.bench.program;
    for (std::size_t s = 0; s < program.states.size(); ++s) {
      const Slice has = p.plan.state_rows[s];
      for (std::size_t t = 0; t < program.types.size(); ++t) {
        const auto& nodes = program.types[t].function.nodes;
        const bool scatters = std::any_of(nodes.begin(), nodes.end(), [&](const Node& node) {
          return node.is(OpId::kScatter) && node.attribute_name() == program.states[s].name;
        });
        const std::int32_t begin = p.plan.type_begin[t], end = p.plan.type_begin[t + 1];
        if (begin == end) continue;
        EXPECT_EQ(begin >= has.begin && end <= has.begin + has.count, scatters)
            << zoo.name << ": " << program.states[s].name << " of " << program.types[t].function.name;
      }
    }
  }
}

TEST(Plan, NamesTheLargestTensorsIfTheLimitIsExceeded) {
  const ZooCase zoo = zoo_cases(30)[0];
  const Bench bench(zoo.model, zoo.graphs);
  const auto samples = all_samples(zoo.graphs);
  Session session(bench.program, bench.parameters, {.memory_limit = 10'000});
  EXPECT_THAT(error_of([&] { session.forward(*bench.bound, samples); }),
              AllOf(HasSubstr("30 samples"), HasSubstr("the limit is 9.8 KiB"), HasSubstr("largest"),
                    HasSubstr("of 'tree_lstm'"), HasSubstr("smaller batch")));
  EXPECT_GT(session.memory(*bench.bound, samples), 10'000);
  Session larger(bench.program, bench.parameters, {.memory_limit = session.memory(*bench.bound, samples)});
  EXPECT_NO_THROW(larger.forward(*bench.bound, samples));
}

TEST(Plan, CountsTheTilesOfAVertexWithManyChildren) {
  constexpr std::int32_t kChildren = 20'000;
  const Model model = small_model("tree-lstm", 0, 8);
  InputGraph star;
  star.types.assign(kChildren, 0);
  star.types.push_back(1);
  star.child_offsets.assign(kChildren + 1, 0);
  star.child_offsets.push_back(kChildren);
  for (std::int32_t child = 0; child < kChildren; ++child) star.children.push_back(child);
  star.index_pulls = {std::vector<std::int32_t>(kChildren + 1, 0), std::vector<std::int32_t>(kChildren + 1, -1)};
  GraphSet graphs(tree_schema());
  graphs.add(star);
  const Bench bench(model, graphs);
  const auto memory = [&](int threads) {
    return Session(bench.program, bench.parameters, {.threads = threads}).memory(*bench.bound, {{0}});
  };
  EXPECT_GT(memory(2) - memory(1), kChildren * sizeof(float)) << "each thread may have all edges in its tile";
  Session session(bench.program, bench.parameters, {.memory_limit = memory(1) - 1});
  EXPECT_THAT(error_of([&] { session.forward(*bench.bound, {{0}}); }), HasSubstr("the limit is"));
}

/// Number of lists of children in the steps of F's tasks that are read in place, and of those that have a child.
std::pair<int, int> gathers_in_place(const Planned& p) {
  int in_place = 0, all = 0;
  for (const Step& step : p.plan.steps) {
    if (step.backward || step.stage != Stage::kTask) continue;
    const auto& requests = p.bench.program->types[step.type].indices;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (!requests[i].of_states()) continue;
      const auto [begin, end] = p.plan.range(step, requests[i].listed_by());
      const std::int32_t* list = p.plan.rows.data() + p.plan.types[step.type].indices[i].begin;
      const std::int32_t shift = p.plan.shift(step, static_cast<std::int32_t>(i));
      if (std::all_of(list + begin, list + end, [](std::int32_t row) { return row < 0; })) continue;
      ++all;
      in_place += shift == kNoRun ? 0 : 1;
      for (std::int32_t r = begin; shift != kNoRun && r < end; ++r) EXPECT_EQ(list[r], r + shift);
    }
  }
  return {in_place, all};
}

TEST(Plan, ReadsRunsOfChildrenInPlace) {
  const GraphSet different = random_chains(20, kWords, 3);
  GraphSet equal(different.schema());
  for (int k = 0; k < 5; ++k) equal.add(to_chain(0, std::vector<std::int32_t>(7, k)));
  for (const bool training : {true, false}) {
    const auto gathers = [&](const GraphSet& graphs) {
      return gathers_in_place(Planned(find_model("var-lstm").make({.vocabulary = kWords, .embedding = 8, .hidden = 8}),
                                      graphs, {.training = training}));
    };
    const auto [in_place, all] = gathers(equal);
    EXPECT_GT(all, 0);
    EXPECT_EQ(in_place, all);
    EXPECT_LT(gathers(different).first, gathers(different).second);
  }
}

}  // namespace
}  // namespace cavs
