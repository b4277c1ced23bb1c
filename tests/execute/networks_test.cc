// Laws 1 and 2 for networks of several vertex functions, and how few tasks they take.

#include <gmock/gmock.h>

#include "cavs/graph_builder.h"
#include "graphs/error_text.h"
#include "helpers/finite_differences.h"
#include "helpers/models.h"
#include "schedule/schedule.h"

namespace cavs {
namespace {

/// Two chains a sample, source and target, and trees of nothing else: every kind of connection in one network.
GraphSchema pair_schema() { return {.types = {"source", "target"}, .index_ports = {"word", "label", "aligned"}}; }

InputGraph random_pair(Numbers& numbers) {
  const std::int32_t sources = 1 + numbers.below(6), targets = 1 + numbers.below(6);
  InputGraph graph;
  graph.child_offsets = {0}, graph.index_pulls.resize(3);
  for (std::int32_t v = 0; v < sources + targets; ++v) {
    const bool source = v < sources;
    if (v != 0 && v != sources) graph.children.push_back(v - 1);
    graph.child_offsets.push_back(static_cast<std::int32_t>(graph.children.size()));
    graph.types.push_back(source ? 0 : 1);
    graph.index_pulls[0].push_back(numbers.below(9));
    graph.index_pulls[1].push_back(source ? -1 : numbers.below(4) - 1);
    graph.index_pulls[2].push_back(source ? -1 : numbers.below(sources + 1) - 1);
  }
  return graph;
}

/// A bidirectional encoder; a decoder that starts where the backward chain ends, reads the aligned word and weighs all
/// encoded words; a static head.
Model network() {
  Model m({.seed = 5});
  constexpr int d = 6, h = 8;
  auto E = m.lookup("E", {9, d});
  const auto cell = [&](Vertex& v, const std::string& name, const Value& input) {
    auto y = tanh(input * m.parameter(name + "_W", {d, h}) + v.gather(0, "h") * m.parameter(name + "_U", {h, h}) +
                  m.parameter(name + "_b", {h}));
    v.scatter("h", y), v.push("h", y);
    return y;
  };
  for (const std::string name : {"forward", "backward"})
    m.vertex_function(name, [&](Vertex& v) { cell(v, name, E(v.pull_index("word"))); },
                      {.over = {"source"}, .reverse = name == "backward"});
  m.vertex_function("keys",
                    [&](Vertex& v) {
                      v.push("key", tanh((v.pull("l", h) + v.pull("r", h)) * m.parameter("K", {h, h})));
                    },
                    {.over = {"source"}});
  m.vertex_function("target", [&](Vertex& v) {
    auto before = v.gather(0, "h") + v.pull("start", h);
    auto memory = v.pull_all("memory", h);
    auto weight = sigmoid(dot(memory, before * m.parameter("A", {h, h})));
    auto context = sum(memory * weight) + v.pull("aligned", h);
    auto y = tanh(E(v.pull_index("word")) * m.parameter("W", {d, h}) + before * m.parameter("U", {h, h}) + context);
    v.scatter("h", y), v.push("state", y);
  });
  m.vertex_function("head",
                    [&](Vertex& v) {
                      auto logits = v.pull("state", h) * m.parameter("Wy", {h, 3}) + m.parameter("by", {3});
                      v.push("logits", logits), v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
                    },
                    {.over = {"target"}});
  m.connect({"forward", "h"}, {"keys", "l"}), m.connect({"backward", "h"}, {"keys", "r"});
  m.connect({"keys", "key"}, {"target", "memory"}, RowMap::all());
  m.connect({"keys", "key"}, {"target", "aligned"}, RowMap::given("aligned"));
  m.connect({"backward", "h"}, {"target", "start"}, RowMap::start());
  m.connect({"target", "state"}, {"head", "state"});
  return m;
}

GraphSet pairs(const Model& m, std::int32_t count) {
  GraphSet samples(pair_schema());
  Numbers numbers(3);
  for (std::int32_t i = 0; i < count; ++i) samples.add(random_pair(numbers));
  return build_graphs(samples, network_builder(m, pair_schema()));
}

TEST(Networks, GiveTheSameNumbersWhateverThePolicyAndThreads) {
  const Model m = network();
  const GraphSet graphs = pairs(m, 9);
  const auto samples = all_samples(graphs);
  const Bench bench(m, graphs);
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
  EXPECT_GT(reference.labels, 5);
  for (SessionOptions options : every_policy(bench))
    for (int threads : {1, 2}) {
      options.threads = threads;
      expect_same_numbers(bench.run(samples, options), reference, *bench.parameters, options.policy);
    }
  const Bench plain(m, graphs, {.disabled_passes = {"eager", "lazy", "fuse_rows"}});
  expect_same_numbers(plain.run(samples), reference, *bench.parameters, "without eager, lazy, fuse_rows");
}

TEST(Networks, HaveTheGradientsOfFiniteDifferences) {
  const Model m = network();
  const GraphSet graphs = pairs(m, 3);
  expect_gradients_match_differences(Bench(m, graphs), all_samples(graphs), "network");
}

TEST(Networks, AndPlainGraphsAreToldApart) {
  const Model m = network(), plain = small_model("lattice-lstm");
  GraphSet samples(pair_schema());
  Numbers numbers(1);
  samples.add(random_pair(numbers));
  EXPECT_THAT(error_of([&] { bind_graphs(compile(m), samples); }), testing::HasSubstr("network_builder(model"));
  const GraphSet made = pairs(m, 1);
  EXPECT_THAT(error_of([&] { bind_graphs(compile(plain), made); }), testing::HasSubstr("the model is none"));
}

TEST(Networks, AreReadBackFromJson) {
  const Model m = network(), again = Model::from_json(m.to_json());
  EXPECT_EQ(again.to_json(), m.to_json());
  EXPECT_EQ(again.connections(), m.connections());
  const GraphSet graphs = pairs(again, 4);
  const auto samples = all_samples(graphs);
  EXPECT_EQ(Bench(again, graphs).run(samples).loss, Bench(m, graphs).run(samples).loss);
}

Schedule schedule_of(const Minibatch& minibatch, const char* policy) {
  const auto made = make_policy(policy);
  Scheduler scheduler;
  Schedule schedule;
  make_schedule(minibatch, *made, scheduler, schedule);
  return schedule;
}

TEST(Networks, TakeOneTaskForAStaticNetAndNoMoreThanTheLowerBound) {
  const Model m = network();
  const GraphSet graphs = pairs(m, 9);
  const Bench bench(m, graphs);
  const Minibatch minibatch = packed(*bench.bound, all_samples(graphs));
  for (const char* policy : {"frontier", "agenda", "ratio"}) {
    const Schedule schedule = schedule_of(minibatch, policy);
    std::vector<int> tasks(5, 0);
    for (const Task& task : schedule.tasks) ++tasks[task.type];
    EXPECT_EQ(tasks[2], 1) << policy;  // keys
    EXPECT_EQ(tasks[4], 1) << policy;  // head
    EXPECT_EQ(std::ssize(schedule.tasks), lower_bound(minibatch)) << policy;
  }
}

TEST(Networks, OfTwoLayersInEachDirectionTakeNoMoreThanTheLowerBound) {
  const GraphSet graphs = random_samples(find_model("bilstm-tagger"), 9, 50, 3);
  const Bench bench(small_model("bilstm-tagger"), graphs);
  const Minibatch minibatch = packed(*bench.bound, all_samples(graphs));
  for (const char* policy : {"frontier", "agenda", "ratio"})
    EXPECT_EQ(std::ssize(schedule_of(minibatch, policy).tasks), lower_bound(minibatch)) << policy;
}

TEST(Networks, FinishOneDirectionBeforeTheOtherSoThatItsWeightsStayInTheCache) {
  const GraphSet graphs = random_samples(find_model("bilstm-tagger"), 9, 50, 3);
  const Bench bench(small_model("bilstm-tagger"), graphs);
  const Minibatch minibatch = packed(*bench.bound, all_samples(graphs));
  for (const char* policy : {"frontier", "agenda"}) {
    const Schedule schedule = schedule_of(minibatch, policy);
    std::vector<std::int32_t> types;
    for (const Task& task : schedule.tasks) types.push_back(task.type);
    types.erase(std::unique(types.begin(), types.end()), types.end());
    EXPECT_EQ(types.size(), 5U) << policy;  // two layers in two directions, and the output
  }
}

}  // namespace
}  // namespace cavs
