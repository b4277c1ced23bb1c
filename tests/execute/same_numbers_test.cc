// Law 1: the batched engine gives what the reference gives of the declared functions, whatever is switched.

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

TEST_P(SameNumbersOfModel, EveryOptionalPassSwitchedOffAndAllOfThem) {
  std::vector<std::vector<std::string>> switched_off(1);
  for (const std::string_view pass : optional_passes())
    switched_off.push_back({std::string(pass)}), switched_off[0].emplace_back(pass);
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

TEST_P(SameNumbersOfModel, WithoutPushesOnlyLabelledRowsRunWhatALossNeeds) {
  const ZooCase zoo = make(fewer(5), 0.3);
  const auto samples = all_samples(zoo.graphs);
  const auto compiled = [&](std::vector<std::string> disabled) {
    return Bench(zoo.model, zoo.graphs, {.pushes = std::vector<std::string>(), .disabled_passes = std::move(disabled)});
  };
  const Result reference = compiled({}).run(samples, {.engine = EngineKind::kReference});
  for (const char* also_off : {"recompute", "tile_softmax", "fuse", "fuse_rows", "compact_absent"}) {
    const Bench bench = compiled({also_off});
    for (int threads : {1, 2})
      expect_same_numbers(bench.run(samples, {.threads = threads}), reference, *bench.parameters,
                          zoo.name + ", without " + also_off);
  }
}

// Thousands of tasks of one row each add to one gradient, each a thousandth of it.
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

/// Many states, types, children and ports at once.
Model mixed_model() {
  Model m({.seed = 5});
  auto E = m.lookup("E", {kWords, 6}), F = m.lookup("F", {kWords, 6});
  auto W = m.parameter("W", {6, 6}), U = m.parameter("U", {6, 6}), V = m.parameter("V", {kBoxWidth, 6});
  for (const char* type : {"a", "b", "c"})
    m.vertex_function(type, [&](Vertex& v) {
      auto word = v.pull_index("word");
      auto x = type[0] == 'a' ? E(word) * W + v.pull("box", kBoxWidth) * V : E(word) + F(word);
      auto first = v.gather(0, "h"), second = v.gather(1, "g");
      auto h = tanh(x + sum(v.children("h") * U) + first * 0.5);
      auto g = sigmoid(mean(v.children("g")) + max(v.children("h") * sigmoid(x)) + second);
      v.scatter("h", h), v.scatter("g", type[0] == 'b' ? g * W : g);
      v.push("h", h);
      if (type[0] != 'c') v.push("g", concat({g, slice(h, 1, 2)}));
      v.loss(softmax_cross_entropy(slice(g * U, 0, kLabels), v.pull_index("label")));
    });
  return m;
}

GraphSet mixed_graphs(std::int32_t count) {
  GraphSet graphs(dressed_schema({"a", "b", "c"}));
  for (std::int32_t i = 0; i < count; ++i)
    graphs.add(dressed(
        generate_dag({.vertices = 3 + 4 * i, .min_arity = 0, .max_arity = 4, .types = 3, .absent = 0.15F}, 9, i),
        100 + static_cast<std::uint64_t>(i)));
  return graphs;
}

TEST(SameNumbers, ManyTypesStatesAndPortsOnRandomGraphs) {
  const GraphSet graphs = mixed_graphs(8);
  const auto samples = all_samples(graphs);
  const Bench bench(mixed_model(), graphs);
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
  for (SessionOptions options : every_policy(bench))
    for (int threads : {1, 2, 3}) {
      options.threads = threads;
      expect_same_numbers(bench.run(samples, options), reference, *bench.parameters,
                          options.policy + ", " + std::to_string(threads) + " threads");
    }
  expect_gradients_match_differences(bench, std::span(samples).first(3), "mixed");
}

TEST(SameNumbers, EveryShapeOfGraph) {
  for (const NamedGraphs& zoo : graph_zoo()) {
    const Bench bench(find_model("tree-lstm").make({.vocabulary = kWords, .embedding = 5, .hidden = 17}), zoo.graphs);
    const auto samples = all_samples(zoo.graphs);
    const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
    for (int threads : {1, 2})
      expect_same_numbers(bench.run(samples, {.threads = threads}), reference, *bench.parameters, zoo.name);
  }
}

/// The same model: the gradient of the loss comes from F, or from the caller by way of the push.
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
    for (std::size_t p = 0; p < gradients.values.size(); ++p)
      expect_close(gradients.values[p], expected.gradients.values[p], std::string(to_string(engine)));
    expect_close(other.pull_gradient("box"), run.pull_gradient("box"), std::string(to_string(engine)) + ", pull");
  }
}

TEST(SameNumbers, EachDropoutHasAMaskOfItsOwnWhateverElseIsWanted) {
  Model m;
  m.vertex_function("cell", [](Vertex& v) {
    const Value x = v.pull("box", kBoxWidth) + sum(v.children("h")) * 0.1 + 1;
    v.scatter("h", x);
    v.push("first", dropout(x, 0.5)), v.push("second", dropout(x, 0.5)), v.push("sample", sample_dropout(x, 0.5));
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

TEST(SameNumbers, GradientOfAPortThatIsPulledTwiceIsTheSumWhateverIsSwitchedOff) {
  Model m;
  m.vertex_function("cell", [](Vertex& v) {
    const Value once = v.pull("box", kBoxWidth), again = v.pull("box", kBoxWidth);
    v.scatter("h", sum(v.children("h")) + once * 0.5);
    v.loss(sum_features(square(v.pull("box", kBoxWidth)) + tanh(again) * v.gather(0, "h")));
  });
  const GraphSet graphs = random_dags({.vertices = 12, .min_arity = 0, .max_arity = 3}, 4, 2);
  const auto samples = all_samples(graphs);
  const auto gradient = [&](const std::vector<std::string>& off, EngineKind engine) {
    const Bench bench(m, graphs, {.pull_gradients = true, .disabled_passes = off});
    Session session(bench.program, bench.parameters, {.engine = engine});
    cavs::Run run = session.forward(*bench.bound, samples);
    result_of(run, *bench.program, *bench.parameters);
    return run.pull_gradient("box");
  };
  const std::vector<float> reference = gradient({}, EngineKind::kReference);
  for (const std::vector<std::string>& off : {std::vector<std::string>(), {"simplify", "simplify_gradient"}})
    expect_close(gradient(off, EngineKind::kBatched), reference, off.empty() ? "all passes" : "without simplify");
}

TEST(SameNumbers, GradientOfAPullIsThatOfATableRowReadOnce) {
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
  declare(pulled, true), declare(looked_up, false);
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
    expect_close(run.pull_gradient("x"), expected.gradients.values[bench.parameters->find("E")],
                 std::string(to_string(engine)));
  }
}

}  // namespace
}  // namespace cavs
