// Input, labels and targets of edges. python/tests/test_edges.py compares the results with NumPy.

#include <gmock/gmock.h>

#include <functional>

#include "cavs/graph.h"
#include "execute/edge_models.h"
#include "helpers/finite_differences.h"
#include "script/scripted.h"
#include "script/validate_script.h"

namespace cavs {
namespace {

class EdgeInput : public testing::TestWithParam<std::size_t> {
 protected:
  EdgeCase of() const { return edge_cases()[GetParam()]; }
};

INSTANTIATE_TEST_SUITE_P(Cases, EdgeInput, testing::Range(std::size_t{0}, edge_cases().size()), [](const auto& made) {
  std::string name = edge_cases()[made.param].name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST_P(EdgeInput, GradientsMatchDifferences) {
  const GraphSet graphs = edge_graphs(4);
  expect_gradients_match_differences(Bench(edge_model(of()), graphs), all_samples(graphs), of().name);
}

TEST_P(EdgeInput, ASavedModelGivesTheSameResults) {
  const Model model = edge_model(of()), again = Model::from_json(model.to_json());
  EXPECT_EQ(again.to_json(), model.to_json());
  EXPECT_EQ(*compile(again), *compile(model));
}

TEST_P(EdgeInput, ScriptsOfThePersistentEngineHaveNoFault) {
  for (const int processors : {1, 3}) {
    const GraphSet graphs = edge_graphs(5, 2);
    const Scripted scripted(edge_model(of(), {"a", "b"}), graphs, processors);
    EXPECT_THAT(scripted.faults(), testing::IsEmpty()) << of().name << ", " << processors << " processors";
  }
}

TEST(EdgeInputShapes, SameNumbersOnEveryShapeOfGraph) {
  for (const NamedGraphs& zoo : graph_zoo()) {
    const GraphSet graphs = with_edges(zoo.graphs);
    const auto samples = all_samples(graphs);
    for (const EdgeCase& of : edge_cases()) {
      const Bench bench(edge_model(of), graphs);
      const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
      for (const int threads : {1, 2})
        expect_same_numbers(bench.run(samples, {.threads = threads}), reference, *bench.parameters,
                            zoo.name + ", " + of.name);
    }
  }
}

std::int64_t count_edges(const GraphSet& graphs, const std::function<bool(std::int64_t slot)>& counts) {
  std::int64_t count = 0;
  for (std::int64_t k = 0; k < graphs.edges(); ++k) count += counts(k) ? 1 : 0;
  return count;
}

TEST(EdgeInputShapes, LabelsAndTargetsOfEdgesAreCountedAsLabels) {
  const GraphSet graphs = edge_graphs(6);
  const auto labels = [&](std::size_t number) {
    return Bench(edge_model(edge_cases()[number]), graphs).run(all_samples(graphs)).labels;
  };
  const auto relation = graphs.edge_index_pulls(0), kind = graphs.edge_index_pulls(1);
  const auto bond = graphs.edge_float_present(0);
  const std::int64_t relations = count_edges(graphs, [&](std::int64_t k) { return relation[k] >= 0; });
  const std::int64_t vertices = std::ranges::count_if(graphs.index_pulls(1), [](std::int32_t l) { return l >= 0; });
  EXPECT_EQ(labels(4), relations + vertices);
  EXPECT_EQ(labels(5), relations);
  EXPECT_EQ(labels(6), count_edges(graphs, [&](std::int64_t k) { return bond[k] != 0 || kind[k] >= 0; }));
  EXPECT_EQ(labels(0), graphs.vertices()) << "without labels every vertex counts";
}

/// Results of a network with one function that reads vertices in one direction.
Result of_direction(bool reverse, const GraphSet& graphs) {
  Model m({.seed = 5});
  auto E = m.lookup("E", {kWords, kHidden}), R = m.lookup("R", {kRelations, kHidden});
  auto B = m.parameter("B", {kBondWidth, kHidden});
  m.vertex_function("reader",
                    [&](Vertex& v) {
                      auto edge = v.pull_edges("bond", kBondWidth) * B + R(v.pull_edge_index("relation"));
                      auto h = tanh(E(v.pull_index("word")) + sum(v.children("h") * edge));
                      v.scatter("h", h);
                      v.push("h", h);
                    },
                    {.over = {"vertex"}, .reverse = reverse});
  m.vertex_function("judge",
                    [&](Vertex& v) {
                      auto h = v.pull("h", kHidden);
                      v.push("logits", h);
                      v.loss(sum_features(square(h)));
                    },
                    {.over = {"vertex"}});
  m.connect({"reader", "h"}, {"judge", "h"});
  const GraphSet built = build_graphs(graphs, network_builder(m, graphs.schema()));
  const Bench bench(m, built);
  const auto samples = all_samples(graphs);
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
  expect_same_numbers(bench.run(samples), reference, *bench.parameters, reverse ? "reverse" : "forward");
  return reference;
}

TEST(EdgeInputShapes, NetworksReadEdgesInBothDirections) {
  // The chain 0 <- 1 <- 2, and the reversed chain with each edge's input on its other end.
  GraphSet forward(edge_schema()), backward(edge_schema());
  InputGraph chain{.types = {0, 0, 0},
                   .child_offsets = {0, 0, 1, 2},
                   .children = {0, 1},
                   .index_pulls = {{1, 2, 3}, {-1, -1, -1}},
                   .float_pulls = {std::vector<float>(3 * kBoxWidth)},
                   .edge_index_pulls = {{4, 2}, {-1, -1}},
                   .edge_float_pulls = {{1, 2, 3, -1, 0.5F, -2}}};
  forward.add(chain);
  chain.child_offsets = {0, 1, 2, 2};
  chain.children = {1, 2};
  backward.add(chain);
  const Result one = of_direction(false, forward), two = of_direction(true, backward);
  EXPECT_GT(one.loss, 0);
  EXPECT_NEAR(one.loss, two.loss, 1e-6 * one.loss);
  for (std::size_t p = 0; p < one.gradients.size(); ++p)
    expect_close(two.gradients.values(p), one.gradients.values(p), "gradient " + std::to_string(p));
}

TEST(EachChild, CountsFromTheFirstSlotOfUnreadChildren) {
  Model m;
  m.vertex_function("vertex", [](Vertex& v) {
    const Value x = v.pull("x", 1);
    v.scatter("h", x);
    v.push("children", sum(v.children("h", 1)));
    v.push("own", sum(each_child(x)));
  });
  GraphSet graphs({.types = {"vertex"}, .float_ports = {{"x", 1}}});
  graphs.add(
      {.types = {0, 0, 0}, .child_offsets = {0, 0, 0, 4}, .children = {0, 1, -1, 0}, .float_pulls = {{5, 7, 3}}});
  const Bench bench(m, graphs, {.training = false, .pushes = {{"own"}}});
  for (const EngineKind engine : {EngineKind::kReference, EngineKind::kBatched})
    EXPECT_EQ(bench.run(all_samples(graphs), {.engine = engine}).outputs.at("own"), (std::vector<float>{0, 0, 6}));
}

}  // namespace
}  // namespace cavs
