#include <gmock/gmock.h>

#include <set>

#include "execute/batched/executor.h"
#include "graphs/error_text.h"
#include "helpers/finite_differences.h"
#include "helpers/models.h"
#include "plan/planner.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

struct Planned {
  Bench bench;
  Minibatch minibatch;
  Schedule schedule;
  Plan plan;

  Planned(const Model& model, const GraphSet& graphs, const CompileOptions& options = {},
          std::string_view policy = "frontier")
      : bench(model, graphs, options), minibatch(packed(*bench.bound, all_samples(graphs))) {
    Scheduler scheduler;
    make_schedule(minibatch, *make_policy(policy), scheduler, schedule);
    Planner(*bench.program).make(minibatch, schedule, plan);
  }
};

std::vector<std::int32_t> at(const Plan& plan, Slice slice) {
  return {plan.rows.begin() + slice.begin, plan.rows.begin() + slice.begin + slice.count};
}

std::vector<std::pair<std::int64_t, std::int64_t>> placed(const Planned& p) {
  std::vector<std::pair<std::int64_t, std::int64_t>> blocks;  // begin, floats
  const Program& program = *p.bench.program;
  for (std::size_t s = 0; s < program.states.size(); ++s) {
    blocks.emplace_back(p.plan.states[s], std::int64_t{p.plan.state_rows[s].count} * program.states[s].width);
    if (program.options.training)
      blocks.emplace_back(p.plan.state_gradients[s], p.plan.sites[s].back() * program.states[s].width);
  }
  for (std::size_t t = 0; t < program.types.size(); ++t)
    for (std::size_t i = 0; i < program.types[t].tensors.size(); ++i) {
      const Tensor& tensor = program.types[t].tensors[i];
      const Plan::Type& type = p.plan.types[t];
      std::int64_t rows = 1;
      if (tensor.domain == kVertexRows) rows = type.vertices;
      if (tensor.domain == kEdgeRows) rows = type.edges;
      if (tensor.domain >= kPartialRows) rows = type.partial[tensor.domain - kPartialRows];
      if (p.plan.is_view(tensor)) rows = 0;
      if (tensor.spans_tasks) blocks.emplace_back(type.tensors[i], rows * tensor.width);
    }
  return blocks;
}

TEST(Plan, TensorsThatSpanTasksNeverShareMemory) {
  for (const ZooCase& zoo : zoo_cases(10, 0.2))
    for (const char* policy : {"frontier", "serial"}) {
      const Planned p(zoo.model, zoo.graphs, {}, policy);
      auto blocks = placed(p);
      std::sort(blocks.begin(), blocks.end());
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::int64_t end = blocks[i].first + blocks[i].second;
        EXPECT_GE(blocks[i].first, 0);
        EXPECT_LE(end, i + 1 < blocks.size() && blocks[i].second > 0 ? blocks[i + 1].first : p.plan.arena) << zoo.name;
      }
    }
}

TEST(Plan, IsTheSameForTheSameArguments) {
  for (const ZooCase& zoo : zoo_cases(6)) {
    const Planned a(zoo.model, zoo.graphs), b(zoo.model, zoo.graphs);
    EXPECT_TRUE(a.plan == b.plan) << zoo.name;
  }
}

TEST(Plan, DoesNotDependOnWhatThePlannerMadeBefore) {
  for (const ZooCase& zoo : zoo_cases(6, 0.2)) {
    const Planned once(zoo.model, zoo.graphs);
    Planner planner(*once.bench.program);
    Plan plan;
    Scheduler scheduler;
    Schedule schedule;
    const std::int32_t first = 0;
    const Minibatch other = packed(*once.bench.bound, {&first, 1});
    make_schedule(other, *make_policy("serial"), scheduler, schedule);
    planner.make(other, schedule, plan);
    EXPECT_FALSE(plan == once.plan) << zoo.name;
    planner.make(once.minibatch, once.schedule, plan);
    EXPECT_TRUE(plan == once.plan) << zoo.name;
  }
}

TEST(Plan, VerticesOfOneNumberShareARowOfADistinctDomain) {
  Model m;
  auto E = m.lookup("E", {kWords, 4});
  m.vertex_function("vertex", [&](Vertex& v) {
    const Value h = tanh(E(v.pull_index("word")) * m.parameter("W", {4, 4}) + sum(v.children("h")));
    v.scatter("h", h), v.loss(sum_features(h));
  });
  GraphSet graphs = dressed_set({chain(40), star(30), chain(1)});
  const Planned p(m, graphs);
  const TypeProgram& program = p.bench.program->types[0];
  const Plan::Type& type = p.plan.types[0];
  ASSERT_EQ(program.partial_domains, (std::vector<Domain>{{DomainKind::kDistinct, "word"}}));
  const auto list = [&](IndexKind kind) {
    for (std::size_t i = 0; i < program.indices.size(); ++i)
      if (program.indices[i].kind == kind && program.indices[i].domain == kPartialRows)
        return at(p.plan, type.indices[i]);
    return std::vector<std::int32_t>();
  };
  const auto row_of = list(IndexKind::kVertexPartial), number_of = list(IndexKind::kPort);
  const auto vertices = list(IndexKind::kPartialVertex), begins = at(p.plan, type.equal[0]);
  const auto& words = p.bench.bound->index_port("word");

  ASSERT_EQ(row_of.size(), 72U);
  ASSERT_EQ(number_of.size(), static_cast<std::size_t>(type.partial[0]));
  EXPECT_EQ(std::set<std::int32_t>(number_of.begin(), number_of.end()).size(), number_of.size()) << "each once";
  std::vector<std::vector<std::int32_t>> expected(number_of.size());
  std::int32_t seen = 0;
  for (std::int32_t r = 0; r < 72; ++r) {
    const std::int32_t v = p.schedule.vertex[r];
    const std::int32_t word = words[p.minibatch.source(p.minibatch.position_of(v), v)];
    if (word < 0) {
      EXPECT_EQ(row_of[r], -1);
      continue;
    }
    ASSERT_GE(row_of[r], 0);
    EXPECT_EQ(number_of[row_of[r]], word);
    EXPECT_LE(row_of[r], seen) << "rows are in the order of their first vertices";
    seen = std::max(seen, row_of[r] + 1);
    expected[row_of[r]].push_back(r);
  }
  ASSERT_EQ(begins.size(), number_of.size() + 1);
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_EQ(std::vector<std::int32_t>(vertices.begin() + begins[k], vertices.begin() + begins[k + 1]), expected[k]);
}

void expect_list(const Plan& plan, Slice slice, std::int32_t low, std::int64_t high, const std::string& what) {
  ASSERT_GE(slice.begin, 0) << what;
  ASSERT_LE(static_cast<std::size_t>(slice.begin) + slice.count, plan.rows.size()) << what;
  for (std::int32_t i = slice.begin; i < slice.begin + slice.count; ++i) {
    ASSERT_GE(plan.rows[i], low) << what;
    ASSERT_LT(plan.rows[i], high) << what;
  }
}

TEST(Plan, ListsStayInsideWhatTheyIndex) {
  for (const ZooCase& zoo : zoo_cases(10)) {
    const Planned p(zoo.model, zoo.graphs);
    const Program& program = *p.bench.program;
    for (std::size_t t = 0; t < program.types.size(); ++t) {
      const Plan::Type& type = p.plan.types[t];
      for (std::size_t i = 0; i < program.types[t].indices.size(); ++i) {
        const IndexRequest& request = program.types[t].indices[i];
        std::int64_t high = type.vertices;
        if (request.kind == IndexKind::kGather || request.kind == IndexKind::kChildren) high = p.minibatch.vertices();
        if (request.kind == IndexKind::kPort) high = request.port == "character" ? 256 : 50;
        if (request.kind == IndexKind::kPullRow) high = zoo.graphs.vertices();
        expect_list(p.plan, type.indices[i], -1, high, zoo.name);
      }
      expect_list(p.plan, type.segments, 0, type.edges + 1, zoo.name);
      for (std::size_t s = 0; s < program.states.size(); ++s) {
        expect_list(p.plan, type.gather_rows[s], p.plan.one_parent[s] != 0 ? -1 : 0, p.plan.sites[s].back(), zoo.name);
        expect_list(p.plan, type.gather_offsets[s], 0, type.gather_rows[s].count + 1, zoo.name);
      }
    }
  }
}

TEST(Plan, GradientsOfOnlyParentsAreReadWhereTheyLie) {
  const Model model = find_model("tree-lstm").make({.vocabulary = kWords, .embedding = 4, .hidden = 4});
  const Planned tree(model, dressed_set({chain(5), star(4)}));
  EXPECT_THAT(tree.plan.one_parent, Each(1));
  const auto views = [&](const Planned& p) {
    const auto& tensors = p.bench.program->types[0].tensors;
    return std::count_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return p.plan.is_view(t); });
  };
  EXPECT_EQ(views(tree), 2);  // of c and h
  InputGraph shared = chain(3);
  shared.child_offsets.back() = 3, shared.children.push_back(0);  // 2 is a parent of 0, as 1 is
  const Planned dag(model, dressed_set({chain(5), shared}));
  EXPECT_THAT(dag.plan.one_parent, Each(0));
  EXPECT_EQ(views(dag), 0);
}

TEST(Plan, CanBeMovedToOtherMemory) {
  const ZooCase zoo = zoo_cases(12)[0];
  const Planned p(zoo.model, zoo.graphs);
  Team team(1);
  Executor executor(p.bench.program, p.bench.parameters, team, {}, cpu::Precision::kFp32,
                    std::make_shared<PackedWeights>(*p.bench.program, cpu::Precision::kFp32));
  std::vector<Result> results;
  for (int copy = 0; copy < 2; ++copy) {
    const PreparedBatch batch{p.minibatch, p.schedule, p.plan};  // no addresses inside: a copy is as good
    Execution run;
    run.batch = &batch;
    run.loss_gradient = 1.0F / static_cast<float>(p.minibatch.samples.size());
    run.arena = cpu::aligned_floats(static_cast<std::size_t>(batch.plan.arena));
    Result result{0, 0, {}, Gradients(*p.bench.parameters)};
    executor.forward(run);
    executor.backward(run, result.gradients);
    results.push_back(std::move(result));
  }
  expect_same_gradient_bits(results[0].gradients, results[1].gradients, "copy");
  expect_same_gradient_bits(results[0].gradients, p.bench.run(all_samples(zoo.graphs)).gradients, "session");
}

TEST(Plan, InferenceNeedsLessMemoryThanTraining) {
  const ZooCase zoo = zoo_cases(10)[0];
  const Planned training(zoo.model, zoo.graphs), inference(zoo.model, zoo.graphs, {.training = false});
  EXPECT_LT(inference.plan.bytes(), training.plan.bytes() / 2);
}

TEST(Plan, StatesHaveRowsOfTypesThatScatterThem) {
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

TEST(Plan, SaysWhatIsLargestWhereTheLimitIsExceeded) {
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
  star.types.assign(kChildren, 0), star.types.push_back(1);
  star.child_offsets.assign(kChildren + 1, 0), star.child_offsets.push_back(kChildren);
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

/// Of the steps of F's tasks, the lists of children that are read in place, and all that have a child.
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
      ++all, in_place += shift == kNoRun ? 0 : 1;
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

TEST(Plan, WhatIsReadInPlaceIsWhatIsListed) {
  int in_place = 0;
  for (const ZooCase& zoo : zoo_cases(10))
    for (const char* policy : {"frontier", "agenda"})
      in_place += gathers_in_place(Planned(zoo.model, zoo.graphs, {}, policy)).first;
  EXPECT_GT(in_place, 0);
}

}  // namespace
}  // namespace cavs
