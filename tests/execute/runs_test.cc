// Behaviour of sessions and runs, and their errors for wrong use.

#include <gmock/gmock.h>

#include <limits>
#include <thread>

#include "cavs/trainer.h"
#include "graphs/error_text.h"
#include "helpers/evaluate.h"
#include "helpers/listed_rows.h"
#include "helpers/models.h"
#include "helpers/parameters.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using CavsRun = cavs::Run;  // testing::Test has a member of that name

struct Fixture {
  ZooCase zoo;
  Bench bench;
  std::vector<std::int32_t> samples;
  Session session;
  explicit Fixture(int model = 0, const CompileOptions& options = {}, const SessionOptions& run = {})
      : zoo(zoo_cases(6)[model]),
        bench(zoo.model, zoo.graphs, options),
        samples(all_samples(zoo.graphs)),
        session(bench.program, bench.parameters, run) {}
};

TEST(Run, ReportsTheFirstVertexAndTheLabelsOfSamples) {
  Fixture f;
  const CavsRun run = f.session.forward(*f.bench.bound, f.samples);
  const auto begin = run.sample_begin();
  ASSERT_EQ(begin.size(), 7U);
  for (int s = 0; s < 6; ++s)
    EXPECT_EQ(begin[s + 1] - begin[s], f.zoo.graphs.vertex_begin()[s + 1] - f.zoo.graphs.vertex_begin()[s]);
  EXPECT_EQ(run.index("label"), f.zoo.graphs.to_arrays().index_pulls[1]);
  EXPECT_EQ(run.output("logits").size(), static_cast<std::size_t>(begin.back()) * run.width("logits"));
  EXPECT_NEAR(run.loss() * 6, run.mean_loss() * static_cast<double>(run.labels()), 1e-9);
  EXPECT_EQ(run.statistics().vertices, begin.back());
}

/// The model has vertices without a push.
TEST(Run, ReturnsRowsOfTheListedVertices) {
  const ZooCase zoo = zoo_case("lstm-nmt", 4, 0);
  const Bench bench(zoo.model, zoo.graphs, {.pushes = std::vector<std::string>{"logits"}});
  for (const EngineKind engine : {EngineKind::kBatched, EngineKind::kReference}) {
    Session session(bench.program, bench.parameters, {.engine = engine});
    const CavsRun run = session.forward(*bench.bound, all_samples(zoo.graphs));
    EXPECT_THAT(run.rows("logits"), AllOf(testing::Contains(nullptr), testing::Contains(testing::NotNull())));
    expect_rows_of_lists(run, "logits");
    for (const std::int32_t vertex : {-1, run.sample_begin().back()})
      EXPECT_THAT(error_of([&] {
                    run.rows("logits", std::vector{0, vertex});
                  }),
                  HasSubstr("no vertex " + std::to_string(vertex) + "; the run has "));
  }
}

TEST(Run, WithoutALabelHasNoLossAndNoGradient) {
  GraphSet graphs(tree_schema());
  InputGraph graph = graph_of({{}, {0, 0}});
  graph.index_pulls = {{1, -1}, {-1, -1}};
  graphs.add(graph);
  const Bench bench(small_model("tree-lstm"), graphs);
  const std::int32_t sample = 0;
  for (const EngineKind engine : {EngineKind::kBatched, EngineKind::kReference}) {
    const Result result = bench.run({&sample, 1}, {.engine = engine});
    EXPECT_EQ(result.loss, 0);
    EXPECT_EQ(result.labels, 0);
    for (std::size_t p = 0; p < result.gradients.size(); ++p) EXPECT_THAT(result.gradients.values(p), testing::Each(0));
  }
}

TEST(Run, GradientsOfATableListEachRowOnce) {
  Fixture f;
  CavsRun run = f.session.forward(*f.bench.bound, f.samples);
  Gradients gradients(*f.bench.parameters);
  for (int again = 0; again < 2; ++again) run.backward(gradients);
  const int table = f.bench.parameters->find("embedding");
  auto rows = gradients.table_rows[table];
  std::sort(rows.begin(), rows.end());
  std::vector<std::int32_t> expected;
  for (std::int32_t word : f.zoo.graphs.index_pulls(0))
    if (word >= 0) expected.push_back(word);
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  EXPECT_EQ(rows, expected);
  const auto width = static_cast<std::size_t>(f.bench.parameters->info(table).shape.dims[1]);
  for (std::size_t i = 0; i < gradients.values(table).size(); ++i)
    if (!std::binary_search(rows.begin(), rows.end(), static_cast<std::int32_t>(i / width))) {
      EXPECT_EQ(gradients.values(table)[i], 0);
    }
}

TEST(Run, FindsTheFirstValueThatIsNotFinite) {
  Fixture f;
  EXPECT_EQ(f.session.forward(*f.bench.bound, f.samples).find_not_finite(), "");
  const int p = f.bench.parameters->find("Uf");
  f.bench.parameters->values(p)[0] = std::numeric_limits<float>::quiet_NaN();
  f.bench.parameters->touch(p);
  EXPECT_THAT(f.session.forward(*f.bench.bound, f.samples).find_not_finite(),
              AllOf(HasSubstr("vertex function 'tree_lstm'"), HasSubstr("nan"), HasSubstr("of sample")));
}

/// The error of a step in which one element of W is `number`.
std::string step_with(float number) {
  const ZooCase zoo = zoo_cases(6)[0];
  TrainOptions options;
  options.batch_size = 3;
  options.optimizer = optimizer_defaults("adam");
  Trainer trainer(zoo.model, zoo.graphs, options);
  trainer.step();
  Parameters& parameters = trainer.parameters();
  const int p = parameters.find("W");
  parameters.values(p)[5] = number;
  parameters.touch(p);
  const auto before = values_of(parameters);
  const std::string message = error_of([&] { trainer.step(); });
  for (int i = 0; i < parameters.size(); ++i) expect_same_bits(parameters.values(i), before[i], "after the error");
  EXPECT_EQ(trainer.optimizer().steps(), 1);
  return message;
}

TEST(Trainer, AStepThatIsNotFiniteNamesTheValueAndChangesNothing) {
  EXPECT_THAT(
      step_with(std::numeric_limits<float>::quiet_NaN()),
      AllOf(HasSubstr("epoch 1, minibatch 2 (step 2)"), HasSubstr("vertex function 'tree_lstm'"), HasSubstr("value")));
  // sigmoid and tanh map infinity to finite numbers
  EXPECT_THAT(step_with(std::numeric_limits<float>::infinity()),
              AllOf(HasSubstr("epoch 1, minibatch 2 (step 2)"), HasSubstr("matmul"), HasSubstr("inf at vertex")));
}

TEST(Trainer, AnOverflowingGradientIsNamed) {
  Model model;
  const auto p = model.parameter("p", {1}, Initializer::constant(1e-38F));
  const auto E = model.lookup("E", {1000, 1}, Initializer::zeros());
  model.vertex_function("f", [&](Vertex& v) {
    const Value x = E(v.pull_index("word")) + p;
    v.scatter("x", x);
    v.scatter("sum", sum(v.children("x")));
    v.loss(sum_features(x * 2e38));
  });
  TrainOptions options;
  options.batch_size = 1;
  const GraphSet graphs = dressed_set({chain(9)});
  Trainer trainer(model, graphs, options);
  EXPECT_THAT(error_of([&] { trainer.step(); }), HasSubstr("gradient of parameter 'p' is not finite"));
}

TEST(Session, RefusesInvalidMinibatches) {
  Fixture f;
  const auto message = [&](std::vector<std::int32_t> samples) {
    return error_of([&] { f.session.forward(*f.bench.bound, samples); });
  };
  EXPECT_THAT(message({}), HasSubstr("empty"));
  EXPECT_THAT(message({0, 6}), AllOf(HasSubstr("sample 6"), HasSubstr("0 to 5")));
  EXPECT_THAT(message({-1}), HasSubstr("sample -1"));
  EXPECT_THAT(error_of([&] { f.session.memory(*f.bench.bound, {}); }), HasSubstr("empty"));
  EXPECT_THAT(error_of([&] { f.session.forward(*f.bench.bound, f.samples, ForwardOptions{.loss_divisor = -1}); }),
              HasSubstr("loss_divisor is -1"));
  const Fixture other;
  EXPECT_THAT(error_of([&] { f.session.forward(*other.bench.bound, f.samples); }), HasSubstr("another program"));
  EXPECT_NO_THROW(f.session.forward(*f.bench.bound, f.samples)) << "an error leaves the session as it was";
}

TEST(Session, AWrongPrefetchIsAnErrorOnlyIfItIsUsed) {
  Fixture f(0, {}, {.threads = 2});
  const std::vector<std::int32_t> wrong{99};
  {
    const CavsRun run = f.session.forward(*f.bench.bound, f.samples);
    f.session.prefetch(*f.bench.bound, wrong);
  }
  EXPECT_NO_THROW(f.session.forward(*f.bench.bound, f.samples));
  f.session.prefetch(*f.bench.bound, wrong);
  EXPECT_THAT(error_of([&] { f.session.forward(*f.bench.bound, wrong); }), HasSubstr("sample 99"));
}

TEST(Session, RefusesUnknownOptions) {
  const Fixture f;
  const auto message = [&](const SessionOptions& options) {
    return error_of([&] { Session(f.bench.program, f.bench.parameters, options); });
  };
  EXPECT_THAT(message({.threads = 0}), HasSubstr("threads is 0"));
  EXPECT_THAT(message({.engine = static_cast<EngineKind>(9)}), HasSubstr("engine number 9"));
  EXPECT_THAT(message({.policy = "serail"}), AllOf(HasSubstr("'serail'"), HasSubstr("serial")));
  EXPECT_EQ(message({.engine = EngineKind::kPersistent}),
            "device cpu has no engine persistent; use engine batched or reference, or device cuda");
  EXPECT_THAT(message({.device = {static_cast<DeviceKind>(9)}}), HasSubstr("device number 9"));
  EXPECT_THAT(message({.device = {DeviceKind::kCuda, -1}}), HasSubstr("device cuda has number -1"));
  EXPECT_THAT(message({.device = {DeviceKind::kCpu, 1}}), HasSubstr("device cpu has number 1"));
  EXPECT_THAT(message({.check_scripts = true}), HasSubstr("check_scripts is on with device cpu"));
}

TEST(Devices, AreFoundByTheirNames) {
  for (const char* name : {"cpu", "cuda", "cuda:1", "cuda:12"}) EXPECT_EQ(to_string(device_named(name)), name);
  EXPECT_EQ(device_named("cuda:0"), device_named("cuda"));
  EXPECT_THAT(error_of([] { device_named("gpu"); }), AllOf(HasSubstr("unknown device 'gpu'"), HasSubstr("cuda")));
  for (const char* name : {"cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:99999999999"})
    EXPECT_THAT(error_of([&] { device_named(name); }), HasSubstr("has no number from 0 after the colon")) << name;
  EXPECT_THAT(error_of([] { device_named("cpu:1"); }), HasSubstr("there is no device 'cpu:1'"));
}

TEST(SessionOptions, AreFoundByTheirNames) {
  for (const std::string_view name : option_names<EngineKind>())
    EXPECT_EQ(to_string(option_named<EngineKind>(name)), name);
  EXPECT_EQ(option_named<Precision>("bf16"), Precision::kBf16);
  EXPECT_EQ(option_named<Streaming>("off"), Streaming::kOff);
  EXPECT_THAT(error_of([] { option_named<EngineKind>("batch"); }), AllOf(HasSubstr("'batch'"), HasSubstr("batched")));
  EXPECT_THAT(error_of([] { option_named<EngineKind>("auto"); }), HasSubstr("unknown engine 'auto'"));
  EXPECT_THAT(error_of([] { option_named<Precision>("fp16"); }), AllOf(HasSubstr("'fp16'"), HasSubstr("bf16")));
  EXPECT_THAT(error_of([] { option_named<Streaming>("yes"); }), AllOf(HasSubstr("'yes'"), HasSubstr("auto")));
}

TEST(Session, SharesPackedWeightsOnlyWithSessionsOfTheSamePrecisionAndEngine) {
  Fixture f(0, {.training = false});
  EXPECT_THAT(error_of([&] { Session(f.session, {.precision = Precision::kBf16}); }),
              AllOf(HasSubstr("precision bf16"), HasSubstr("has fp32")));
  EXPECT_THAT(error_of([&] { Session(f.session, {.engine = EngineKind::kReference}); }),
              AllOf(HasSubstr("engine reference"), HasSubstr("has batched")));
}

TEST(Session, SharesPackedWeightsOnlyInInference) {
  Fixture f(0, {.training = false});
  Session other(f.session, {});
  const auto logits = [&](Session& session) { return session.forward(*f.bench.bound, f.samples).output("logits"); };
  std::vector<float> first, second;
  const auto at_once = [&] {
    std::thread thread([&] { second = logits(other); });
    first = logits(f.session);
    thread.join();
    EXPECT_EQ(first, second);
  };
  at_once();
  const std::vector<float> before = first;
  for (int p = 0; p < f.bench.parameters->size(); ++p) {
    for (float& x : f.bench.parameters->values(p)) x *= 0.5F;
    f.bench.parameters->touch(p);
  }
  at_once();
  EXPECT_NE(first, before) << "weights are packed again";
  for (int p = 0; p < f.bench.parameters->size(); ++p)
    if (const ParameterInfo& info = f.bench.parameters->info(p); !info.table && info.shape.dims.size() == 2)
      for (float& x : f.bench.parameters->values(p)) x *= 0.5F;
  Session late(other, {});
  EXPECT_EQ(logits(late), first) << "it packed a change without touch(), so its packs are not shared";
  EXPECT_THAT(error_of([&] { Session(other, {.threads = 0}); }), HasSubstr("threads is 0"));
  const Fixture training;
  EXPECT_THAT(error_of([&] { Session(training.session, {}); }), HasSubstr("training off"));
}

TEST(Session, ListsKnownPortsIfOneIsMissing) {
  Fixture f;
  CavsRun run = f.session.forward(*f.bench.bound, f.samples);
  EXPECT_THAT(error_of([&] { run.output("logit"); }), AllOf(HasSubstr("'logit'"), HasSubstr("logits")));
  EXPECT_THAT(error_of([&] { run.pull_gradient("box"); }), HasSubstr("'box'"));
  Gradients gradients(*f.bench.parameters);
  const std::vector<float> few(3);
  const CavsRun::PushGradient push{"logits", few};
  EXPECT_THAT(error_of([&] { run.backward(gradients, {&push, 1}); }), HasSubstr("'logits'"));
}

TEST(Session, InferenceHasNoBackward) {
  Fixture f(0, {.training = false});
  CavsRun run = f.session.forward(*f.bench.bound, f.samples);
  Gradients gradients(*f.bench.parameters);
  EXPECT_THAT(error_of([&] { run.backward(gradients); }), HasSubstr("training = true"));
}

/// The error of binding one graph.
std::string refusal(const Model& model, const InputGraph& graph, const GraphSchema& schema = tree_schema()) {
  GraphSet graphs(schema);
  graphs.add(graph);
  const auto program = compile(model);
  return error_of([&] { bind_graphs(program, graphs); });
}

InputGraph binary_tree() { return generate_binary_tree(3, 40, 5, 1, 0); }

TEST(Binding, ChecksIdsTypesChildrenAndPorts) {
  const Model lstm = small_model("tree-lstm"), binary = small_model("tree-lstm-binary");
  EXPECT_THAT(refusal(lstm, binary_tree()), HasSubstr("no UserError"));
  InputGraph graph = binary_tree();
  graph.index_pulls[0].back() = 50;
  EXPECT_THAT(refusal(lstm, graph), AllOf(HasSubstr("'word'"), HasSubstr("is 50"), HasSubstr("49")));
  graph = binary_tree();
  graph.index_pulls[1][0] = 10;
  EXPECT_THAT(refusal(lstm, graph), AllOf(HasSubstr("'label'"), HasSubstr("is 10"), HasSubstr("vertex 0 of sample 0")));
  graph = binary_tree();
  std::fill(graph.types.begin(), graph.types.end(), 0);
  EXPECT_THAT(refusal(binary, graph), AllOf(HasSubstr("'leaf'"), HasSubstr("2 children")));
  EXPECT_THAT(
      refusal(lstm, binary_tree(), {.types = {"leaf", "inner"}, .index_ports = {"wrd", "label"}, .float_ports = {}}),
      AllOf(HasSubstr("'word'"), HasSubstr("wrd")));
  EXPECT_THAT(
      refusal(binary, binary_tree(), {.types = {"leaf", "node"}, .index_ports = {"word", "label"}, .float_ports = {}}),
      HasSubstr("'node'"));
}

TEST(Binding, AChildMustScatterWhatItsParentGathers) {
  Model m;
  m.vertex_function("leaf", [](Vertex& v) { v.push("y", v.pull("x", 2)); });
  m.vertex_function("inner", [](Vertex& v) {
    auto h = v.gather(0, "h") + v.pull("x", 2);
    v.scatter("h", h);
    v.push("y", h);
  });
  InputGraph graph = graph_of({{}, {0}});
  graph.types = {0, 1};
  graph.float_pulls = {{1, 2, 3, 4}};
  EXPECT_THAT(refusal(m, graph, {.types = {"leaf", "inner"}, .index_ports = {}, .float_ports = {{"x", 2}}}),
              AllOf(HasSubstr("vertex 1 of sample 0"), HasSubstr("'h'"), HasSubstr("'leaf'")));
}

TEST(EngineOn, IsTheDefaultOfTheDeviceOrTheRequestedOne) {
  EXPECT_EQ(engine_on(DeviceKind::kCpu), EngineKind::kBatched);
  EXPECT_EQ(engine_on(DeviceKind::kCuda), EngineKind::kBatched);
  EXPECT_EQ(engine_on(DeviceKind::kCpu, EngineKind::kReference), EngineKind::kReference);
  EXPECT_THAT(
      error_of([] { engine_on(DeviceKind::kCpu, EngineKind::kPersistent); }),
      testing::HasSubstr("device cpu has no engine persistent; use engine batched or reference, or device cuda"));
}

}  // namespace
}  // namespace cavs
