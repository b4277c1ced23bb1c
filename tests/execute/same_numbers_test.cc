// Law 1: the batched engine agrees with the reference on the declared functions, with all passes on or off.

#include <gtest/gtest.h>

#include "compile/passes.h"
#include "helpers/finite_differences.h"
#include "helpers/sanitizer.h"
#include "helpers/zoo_test.h"

namespace cavs {
namespace {

class SameNumbersOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, SameNumbersOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

TEST_P(SameNumbersOfModel, AnyPolicyThreadsAndBatchSize) {
  const ZooCase zoo = make(fewer(64));
  const Bench bench(zoo.model, zoo.graphs);
  const auto all = all_samples(zoo.graphs);
  const auto policies = every_policy(bench);
  for (std::size_t batch : {1, 3, 64}) {
    const auto samples = std::span(all).first(std::min(batch, all.size()));
    const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
    for (SessionOptions options : policies)
      for (int threads : {1, 2}) {
        options.threads = threads;
        expect_same_numbers(bench.run(samples, options), reference, *bench.parameters,
                            zoo.name + ", " + options.policy + ", " + std::to_string(threads) + " threads, batch " +
                                std::to_string(batch));
      }
  }
}

TEST_P(SameNumbersOfModel, WithEachOptionalPassOffAndAllOff) {
  std::vector<std::vector<std::string>> switched_off(1);
  for (const std::string_view pass : optional_passes()) {
    switched_off.push_back({std::string(pass)});
    switched_off[0].emplace_back(pass);
  }
  const ZooCase zoo = make(fewer(6));
  const auto samples = all_samples(zoo.graphs);
  const Bench bench(zoo.model, zoo.graphs);
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
  const Result optimised = bench.run(samples);
  for (const auto& passes : switched_off) {
    std::string what = zoo.name + ", without";
    for (const std::string& pass : passes) what += " " + pass;
    const Bench other(zoo.model, zoo.graphs, {.disabled_passes = passes});
    const Result found = other.run(samples);
    expect_same_numbers(found, reference, *bench.parameters, what);
    for (const auto& [port, values] : optimised.outputs)  // forward passes do not even differ in rounding
      expect_same_bits(found.outputs.at(port), values, what);
  }
}

// Thousands of tasks with one row each add to one gradient, each about a thousandth of it.
TEST(SameNumbers, ManySmallTasksLoseNoDigitsOfAGradient) {
  const Dataset data = load_data("markov:train=64,steps=64");
  const Model model = find_model("fixed-lstm").make({.vocabulary = 1000, .embedding = 4, .hidden = 4, .classes = 1000});
  const auto samples = all_samples(data.train);
  const Bench bench(model, data.train,
                    {.pushes = std::vector<std::string>(), .disabled_passes = {"tile_softmax", "eager", "lazy"}});
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
  for (int threads : {1, 2})
    expect_same_numbers(bench.run(samples, {.threads = threads, .policy = "serial"}), reference, *bench.parameters,
                        std::to_string(threads) + " threads");
}

TEST_P(SameNumbersOfModel, AgreesWithFiniteDifferences) {
  const ZooCase zoo = make(fewer(4), 0.3);
  const Bench bench(zoo.model, zoo.graphs);
  expect_gradients_match_differences(bench, all_samples(zoo.graphs), zoo.name);
}

/// The same model with two sources of the gradient: the loss in F, or the caller through the push.
Model squares(bool with_loss) {
  Model m;
  auto E = m.lookup("E", {kWords, 4});
  m.vertex_function("cell", [&](Vertex& v) {
    auto h = tanh(E(v.pull_index("word")) + sum(v.children("h")) * 0.5 +
                  m.parameter("b", {4}, Initializer::uniform(1)) + v.pull("box", kBoxWidth));
    v.scatter("h", h);
    v.push("h", h);
    if (with_loss) v.loss(sum_features(square(h)));
  });
  return m;
}

TEST(SameNumbers, GradientsOfPushesComeFromTheCaller) {
  const GraphSet graphs = random_dags({.vertices = 12, .min_arity = 0, .max_arity = 3}, 4, 2);
  const auto samples = all_samples(graphs);
  const Bench with_loss(squares(true), graphs, {.pull_gradients = true});
  const Bench without(squares(false), graphs, {.pull_gradients = true});
  for (const EngineKind engine : {EngineKind::kBatched, EngineKind::kReference}) {
    Session one(with_loss.program, with_loss.parameters, {.engine = engine});
    cavs::Run run = one.forward(*with_loss.bound, samples);
    const Result expected = result_of(run, *with_loss.program, *with_loss.parameters);
    Session two(without.program, without.parameters, {.engine = engine});
    cavs::Run other = two.forward(*without.bound, samples);
    std::vector<float> dh = other.output("h");
    for (float& x : dh) x *= 2 / static_cast<float>(samples.size());
    Gradients gradients(*without.parameters);
    const cavs::Run::PushGradient push{"h", dh};
    other.backward(gradients, {&push, 1});
    for (std::size_t p = 0; p < gradients.size(); ++p)
      expect_close(gradients.values(p), expected.gradients.values(p), std::string(to_string(engine)));
    expect_close(other.pull_gradient("box"), run.pull_gradient("box"), std::string(to_string(engine)) + ", pull");
  }
}

TEST(SameNumbers, EachDropoutHasItsOwnMaskWhateverElseIsComputed) {
  Model m;
  m.vertex_function("cell", [](Vertex& v) {
    const Value x = v.pull("box", kBoxWidth) + sum(v.children("h")) * 0.1 + 1;
    v.scatter("h", x);
    v.push("first", dropout(x, 0.5));
    v.push("second", dropout(x, 0.5));
    v.push("sample", sample_dropout(x, 0.5));
  });
  const GraphSet graphs = random_dags({.vertices = 12, .min_arity = 0, .max_arity = 3}, 4, 2);
  const auto samples = all_samples(graphs);
  const Bench bench(m, graphs);
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
  expect_same_numbers(bench.run(samples), reference, *bench.parameters, "all");
  EXPECT_NE(reference.outputs.at("first"), reference.outputs.at("second"));
  for (const char* port : {"first", "second", "sample"}) {
    const Bench one(m, graphs, {.pushes = std::vector<std::string>{port}});
    for (const EngineKind engine : {EngineKind::kBatched, EngineKind::kReference})
      expect_close(one.run(samples, {.engine = engine}).outputs.at(port), reference.outputs.at(port), port);
  }
}

TEST(SameNumbers, TheGradientOfAPullIsThatOfATableRowReadOnce) {
  Model pulled, looked_up;
  GraphSchema schema{.types = {"cell"}, .index_ports = {"row"}, .float_ports = {{"x", 3}}};
  GraphSet graphs(schema);
  InputGraph graph = graph_of({{}, {0}, {0, 1}, {2}});
  graph.index_pulls = {{0, 1, 2, 3}};
  const auto declare = [](Model& m, bool pull) {
    auto E = m.lookup("E", {4, 3});
    m.vertex_function("cell", [&](Vertex& v) {
      auto x = pull ? v.pull("x", 3) + E(v.pull_index("row")) * 0.0 : E(v.pull_index("row"));
      auto h = tanh(x * m.parameter("W", {3, 3}) + sum(v.children("h")));
      v.scatter("h", h);
      v.loss(sum_features(h));
    });
  };
  declare(pulled, true);
  declare(looked_up, false);
  const auto parameters = looked_up.make_parameters();
  graph.float_pulls = {{parameters->values("E").begin(), parameters->values("E").end()}};
  graphs.add(graph);
  const std::int32_t sample = 0;
  const Result expected = Bench(looked_up, graphs).run({&sample, 1});
  const Bench bench(pulled, graphs, {.pull_gradients = true});
  for (const EngineKind engine : {EngineKind::kBatched, EngineKind::kReference}) {
    Session session(bench.program, bench.parameters, {.engine = engine});
    cavs::Run run = session.forward(*bench.bound, {&sample, 1});
    Gradients gradients(*bench.parameters);
    run.backward(gradients);
    expect_close(run.pull_gradient("x"), expected.gradients.values(bench.parameters->find("E")),
                 std::string(to_string(engine)));
  }
}

}  // namespace
}  // namespace cavs
