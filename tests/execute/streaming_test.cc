// Streaming: idle workers do rows of lazy steps while one runs small tasks (Cavs, section 3.4). It changes no bit.

#include <gtest/gtest.h>

#include "execute/run_state.h"
#include "execute/session_impl.h"
#include "helpers/evaluate.h"
#include "helpers/sanitizer.h"
#include "helpers/zoo_test.h"

namespace cavs {
namespace {

using CavsRun = cavs::Run;  // testing::Test has a member of that name

void expect_same_when_streaming(const Model& model, const GraphSet& graphs, std::span<const std::int32_t> samples,
                                const std::string& what) {
  for (const bool training : {true, false}) {
    const Bench bench(model, graphs, {.training = training});
    for (const char* policy : {"frontier", "serial"}) {
      const Result expected = bench.run(samples, {.policy = policy, .streaming = Streaming::kOff}, 1);
      for (const int threads : {1, 2, 3})
        expect_same_result_bits(
            bench.run(samples, {.threads = threads, .policy = policy, .streaming = Streaming::kOn}, 1), expected,
            what + ", " + policy + ", " + std::to_string(threads) + " threads");
    }
  }
}

/// A chain's vertex is little work; what nobody gathers is much.
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

class StreamingOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, StreamingOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

TEST_P(StreamingOfModel, ChangesNoBit) {
  const ZooCase zoo = make(fewer(64), 0.3);
  const auto samples = all_samples(zoo.graphs);
  expect_same_when_streaming(zoo.model, zoo.graphs, samples, zoo.name);
  expect_same_when_streaming(zoo.model, zoo.graphs, std::span(samples).first(2), zoo.name + ", two samples");
}

TEST(Streaming, ChangesNoBitOfLongChains) {
  const GraphSet graphs = dressed_set({chain(300), chain(61), chain(1)});
  expect_same_when_streaming(heavy_head(32, 100), graphs, all_samples(graphs), "chains");
}

TEST(Streaming, ChangesNoBitOfAnyGraph) {
  for (const NamedGraphs& zoo : graph_zoo())
    expect_same_when_streaming(heavy_head(24, 40), zoo.graphs, all_samples(zoo.graphs), zoo.name);
}

TEST(Streaming, ChangesNoBitOfSeveralTypes) {
  GraphSet graphs(dressed_schema({"a", "b"}));
  for (int i = 0; i < 6; ++i)
    graphs.add(dressed(generate_dag({.vertices = 200, .min_arity = 0, .max_arity = 3, .types = 2}, 3, i), 20 + i));
  Model m({.seed = 7});
  auto E = m.lookup("E", {kWords, 16});
  for (const std::string type : {"a", "b"})
    m.vertex_function(type, [&](Vertex& v) {
      const Value h = tanh(E(v.pull_index("word")) + sum(v.children("h")));
      v.scatter("h", h);
      const Value y = h * m.parameter("W" + type, {16, kLabels});
      v.push("y", y);
      v.loss(softmax_cross_entropy(y, v.pull_index("label")));
    });
  expect_same_when_streaming(m, graphs, all_samples(graphs), "two types");
}

Plan plan_of(const Model& model, const GraphSet& graphs, Streaming streaming) {
  const Bench bench(model, graphs);
  Preparation preparation(*bench.program, make_policy("frontier"), streaming);
  cavs::Run::State state;
  preparation.start(state, *bench.bound, all_samples(graphs), 0);
  preparation.finish();
  return state.batch.plan;
}

TEST(Streaming, ChunksCoverEveryVertexOnceAndWaitForItsTask) {
  const GraphSet graphs = dressed_set({chain(300), chain(61), star(70), chain(1)});
  EXPECT_TRUE(plan_of(heavy_head(32, 100), graphs, Streaming::kOff).chunks.empty());
  const Plan plan = plan_of(heavy_head(32, 100), graphs, Streaming::kOn);
  std::int32_t next = 0, after = 0;
  for (const Chunk& chunk : plan.chunks) {
    const RowRange rows = plan.range(chunk.step, kVertexRows);
    EXPECT_EQ(rows.begin, next);
    EXPECT_GT(rows.end, next);
    EXPECT_GE(chunk.after, after);
    const bool never = chunk.after == Chunk::kNever;
    const Step& task = plan.steps[never ? 0 : static_cast<std::size_t>(chunk.after) - 1];
    EXPECT_TRUE(never || task.stage == Stage::kTask);
    EXPECT_TRUE(never || plan.range(task, kVertexRows).end >= rows.end);
    next = rows.end, after = chunk.after;
  }
  EXPECT_EQ(next, plan.types[0].vertices);
  EXPECT_GT(plan.chunks.size(), 4U);
}

/// Whether another worker finds the time is the machine's affair; over many runs it does.
TEST(Streaming, DoesRowsOfLongChainsWhileOthersWait) {
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
