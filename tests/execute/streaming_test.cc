// Streaming: idle workers compute rows of lazy steps while one runs small tasks (Cavs, section 3.4). No bit changes.

#include <gtest/gtest.h>

#include "execute/batched/team_planner.h"
#include "helpers/planned.h"

namespace cavs {
namespace {

/// The task of a chain's vertex is small; the values that no vertex gathers are large.
Model heavy_head(std::int32_t width, std::int32_t classes) {
  Model m({.seed = 5});
  auto E = m.lookup("E", {kWords, width});
  m.vertex_function("vertex", [&](Vertex& v) {
    const Value hs = v.children("h");
    const Value h = tanh(E(v.pull_index("word")) + sum(hs) * 0.9);
    v.scatter("h", h);
    const Value z = dropout(layer_norm(h * m.parameter("V", {width, width}) + max(hs)), 0.2);
    const Value y = tanh(z + E(v.pull_index("word"))) * m.parameter("Wy", {width, classes});
    v.push("y", y);
    v.loss(softmax_cross_entropy(y, v.pull_index("label")));
    v.loss(sum_features(mean(hs * z)));
  });
  return m;
}

TEST(Streaming, ChangesNoBitOfLongChains) {
  const GraphSet graphs = dressed_set({chain(300), chain(61), chain(1)});
  const auto samples = all_samples(graphs);
  for (const bool training : {true, false}) {
    const Bench bench(heavy_head(32, 100), graphs, {.training = training});
    for (const char* policy : {"frontier", "serial"}) {
      const Result expected = bench.run(samples, {.policy = policy, .streaming = Streaming::kOff}, 1);
      for (const int threads : {1, 2, 3})
        expect_same_result_bits(
            bench.run(samples, {.threads = threads, .policy = policy, .streaming = Streaming::kOn}, 1), expected,
            std::string(policy) + ", " + std::to_string(threads) + " threads");
    }
  }
}

TEST(Streaming, ChunksCoverEveryVertexOnceAndWaitForItsTask) {
  const GraphSet graphs = dressed_set({chain(300), chain(61), star(70), chain(1)});
  const Bench bench(heavy_head(32, 100), graphs);
  const Planned p(bench);
  const Plan& plan = p.plan;
  TeamPlan team;
  TeamPlanner(*bench.program, Streaming::kOff, 1).make(p.minibatch, p.schedule, plan, team);
  EXPECT_TRUE(team.chunks.empty());
  TeamPlanner(*bench.program, Streaming::kOn, 1).make(p.minibatch, p.schedule, plan, team);
  std::int32_t next = 0, after = 0;
  for (const Chunk& chunk : team.chunks) {
    EXPECT_EQ(plan.steps[chunk.step].stage, Stage::kLazy);
    const RowRange rows = team.vertices(chunk);
    EXPECT_EQ(rows.begin, next);
    EXPECT_GT(rows.end, next);
    EXPECT_GE(chunk.after, after);
    const bool never = chunk.after == Chunk::kNever;
    const Step& task = plan.steps[never ? 0 : static_cast<std::size_t>(chunk.after) - 1];
    EXPECT_TRUE(never || task.stage == Stage::kTask);
    EXPECT_TRUE(never || plan.range(task, kVertexRows).end >= rows.end);
    next = rows.end;
    after = chunk.after;
  }
  EXPECT_EQ(next, plan.types[0].vertices);
  EXPECT_GT(team.chunks.size(), 4U);
}

/// Another worker may not find the time in one run, but does in some of many runs.
TEST(Streaming, ComputesRowsOfLongChainsWhileWorkersWait) {
  const GraphSet graphs = dressed_set({chain(4000)});
  const Bench bench(heavy_head(32, 100), graphs);
  const auto samples = all_samples(graphs);
  std::int64_t streamed = 0;
  Session session(bench.program, bench.parameters, {.threads = 2, .streaming = Streaming::kOn});
  for (int i = 0; i < 200 && streamed == 0; ++i)
    streamed += session.forward(*bench.bound, samples).statistics().streamed_rows;
  EXPECT_GT(streamed, 0);
  EXPECT_LE(streamed, 4000 * 200);
  Session off(bench.program, bench.parameters, {.threads = 2, .streaming = Streaming::kOff});
  EXPECT_EQ(off.forward(*bench.bound, samples).statistics().streamed_rows, 0);
}

}  // namespace
}  // namespace cavs
