// Memory that runs and updates work on, and the lifetime of objects.

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "graphs/error_text.h"
#include "helpers/compare.h"
#include "helpers/evaluate.h"
#include "helpers/models.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using CavsRun = cavs::Run;

struct OwnedCase {
  ZooCase zoo = zoo_cases(8)[0];
  Bench bench{zoo.model, zoo.graphs};
  std::vector<std::int32_t> samples = all_samples(zoo.graphs);
};

class Engines : public testing::TestWithParam<EngineKind> {};
INSTANTIATE_TEST_SUITE_P(All, Engines, testing::Values(EngineKind::kBatched, EngineKind::kReference),
                         [](const auto& engine) { return std::string(to_string(engine.param)); });

TEST_P(Engines, ARunKeepsItsSessionAndItsGraphsAlive) {
  const ZooCase zoo = zoo_cases(8)[0];
  const auto program = compile(zoo.model);
  const auto parameters = zoo.model.make_parameters();
  Gradients alive(*parameters), gone(*parameters);
  std::optional<CavsRun> run;
  std::vector<float> logits;
  {
    auto graphs = std::make_shared<const GraphSet>(zoo.graphs);
    const auto bound = bind_graphs(program, graphs);
    graphs.reset();
    Session session(program, parameters, {.threads = 2, .engine = GetParam()});
    CavsRun other = session.forward(*bound, all_samples(zoo.graphs));
    logits = other.output("logits");
    other.backward(alive);
    run.emplace(session.forward(*bound, all_samples(zoo.graphs)));
  }
  EXPECT_EQ(run->output("logits"), logits);
  run->backward(gone);
  expect_same_bits(gone.flat(), alive.flat(), "gradients");
}

TEST_P(Engines, WriteIntoTheCallersMemory) {
  const OwnedCase c;
  Session session(c.bench.program, c.bench.parameters, {.engine = GetParam()});
  CavsRun run = session.forward(*c.bench.bound, c.samples);
  const std::vector<float> expected = run.output("logits");
  std::vector<float> memory(expected.size(), -7);
  run.output("logits", memory);
  EXPECT_EQ(memory, expected);
  memory.pop_back();
  EXPECT_THAT(error_of([&] { run.output("logits", memory); }), HasSubstr("the memory for 'logits'"));

  Gradients own(*c.bench.parameters);
  run.backward(own);
  std::vector<float> flat(Gradients::flat_size(*c.bench.parameters), -7);
  Gradients given(*c.bench.parameters, flat);
  run.backward(given);
  expect_same_bits(flat, own.flat(), "gradients");
  EXPECT_EQ(given.flat().data(), flat.data());
  for (int p = 0; p < c.bench.parameters->size(); ++p) EXPECT_EQ(own.offset(p) % Gradients::kAlignment, 0);
  EXPECT_THAT(error_of([&] { Gradients(*c.bench.parameters, std::span(flat).first(8)); }), HasSubstr("has 8 floats"));
}

/// Trees with an output vertex over each vertex. A vertex pushes its states h and c to "y" and "z". Output vertices do
/// not, and no vertex gathers state "d".
Model model_with_pushed_states() {
  Model m({.seed = 3});
  const auto E = m.lookup("E", {kWords, 5});
  const auto W = m.parameter("W", {5, 5});
  const auto give = [](Vertex& v, const Value& c) {
    const Value h = tanh(c);
    v.scatter("h", h);
    v.scatter("c", c);
    v.scatter("d", c * c);
    v.push("y", h);
    v.push("z", c);
  };
  m.vertex_function("leaf", [&](Vertex& v) { give(v, E(v.pull_index("word"))); });
  m.vertex_function("inner", [&](Vertex& v) { give(v, sum(v.children("c")) + sum(v.children("h")) * W); });
  m.vertex_function("output", [&](Vertex& v) { v.loss(sum_features(square(v.gather(0, "h")))); });
  return m;
}

TEST_P(Engines, ReturnTheStatesOfAllVerticesInTheCallersMemory) {
  const GraphSet graphs = build_graphs(random_trees(6, kWords, 5), find_graph_builder("tree-with-outputs"));
  for (const bool training : {false, true}) {
    const Bench bench(model_with_pushed_states(), graphs, {.training = training});
    Session session(bench.program, bench.parameters, {.engine = GetParam()});
    CavsRun run = session.forward(*bench.bound, all_samples(graphs));
    const std::vector<float> h = run.output("y"), c = run.output("z");
    Gradients gradients(*bench.parameters);
    if (training) run.backward(gradients);
    EXPECT_EQ(run.state_width("h"), 5);
    EXPECT_EQ(run.state("h"), h);
    std::vector<float> memory(c.size(), -7);
    run.state("c", memory);
    EXPECT_EQ(memory, c) << "zeros for output vertices, which scatter nothing";
    memory.pop_back();
    EXPECT_THAT(error_of([&] { run.state("c", memory); }), HasSubstr("the memory for 'c' has"));
    EXPECT_THAT(error_of([&] { run.state("y"); }), AllOf(HasSubstr("state 'y'"), HasSubstr("c, h")));
    EXPECT_THAT(error_of([&] { run.state("d"); }), HasSubstr("scatters a gathered state 'd'"));
  }
}

TEST(Gradients, ACopyHasItsOwnMemory) {
  const OwnedCase c;
  Gradients one(*c.bench.parameters);
  std::ranges::fill(one.values(0), 1.0F);
  Gradients two(one);
  std::ranges::fill(one.values(0), 2.0F);
  EXPECT_THAT(two.values(0), testing::Each(1.0F));
  two = one;
  std::ranges::fill(one.values(0), 3.0F);
  EXPECT_THAT(two.values(0), testing::Each(2.0F));
  EXPECT_EQ(two.offset(1), one.offset(1));
}

TEST_P(Engines, AnUpdateWithANumberThatIsNotFiniteChangesNothing) {
  OwnedCase c;
  Session session(c.bench.program, c.bench.parameters, {.engine = GetParam()});
  Optimizer optimizer(optimizer_defaults("sgd"), *c.bench.parameters);
  Gradients gradients(*c.bench.parameters);
  CavsRun run = session.forward(*c.bench.bound, c.samples);
  run.backward(gradients);
  int weight = 0;
  while (c.bench.parameters->info(weight).table) ++weight;
  gradients.values(weight)[0] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> before(c.bench.parameters->values(weight).begin(), c.bench.parameters->values(weight).end());
  EXPECT_FALSE(session.update(run, gradients, optimizer).updated);
  EXPECT_EQ(optimizer.steps(), 0);
  EXPECT_THAT(c.bench.parameters->values(weight), testing::ElementsAreArray(before));
}

}  // namespace
}  // namespace cavs
