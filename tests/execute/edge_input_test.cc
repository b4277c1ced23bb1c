// Input, labels and targets of edges: law 1, gradients, and the same numbers as a graph that has a vertex for each
// edge.

#include <gmock/gmock.h>

#include <functional>

#include "cavs/graph_builder.h"
#include "cavs/layers.h"
#include "cavs/losses.h"
#include "compile/passes.h"
#include "execute/edge_models.h"
#include "graphs/error_text.h"
#include "helpers/finite_differences.h"
#include "script/scripted.h"
#include "script/validate_script.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class EdgeInput : public testing::TestWithParam<std::size_t> {
 protected:
  EdgeCase of() const { return edge_cases()[GetParam()]; }
};

INSTANTIATE_TEST_SUITE_P(Cases, EdgeInput, testing::Range(std::size_t{0}, edge_cases().size()), [](const auto& made) {
  std::string name = edge_cases()[made.param].name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST_P(EdgeInput, SameNumbersOfAnyPolicyAndBatchSize) {
  for (const std::int32_t types : {1, 2}) {
    const GraphSet graphs = edge_graphs(7, types);
    const auto all = all_samples(graphs);
    const Bench bench(edge_model(of(), graphs.schema().types), graphs);
    const auto policies = every_policy(bench);
    for (const std::size_t batch : {1, 3, 7})
      for (std::size_t first = 0; first + batch <= all.size(); first += 3) {
        const auto samples = std::span(all).subspan(first, batch);
        const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
        for (const SessionOptions& options : policies)
          expect_same_numbers(bench.run(samples, options), reference, *bench.parameters,
                              of().name + ", " + options.policy + ", batch " + std::to_string(batch));
      }
  }
}

TEST_P(EdgeInput, SameNumbersWithPassesSwitchedOffAndThreads) {
  const GraphSet graphs = edge_graphs(6);
  const auto samples = all_samples(graphs);
  const Bench bench(edge_model(of()), graphs);
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
  std::vector<std::vector<std::string>> switched_off(1);
  for (const std::string_view pass : optional_passes())
    switched_off.push_back({std::string(pass)}), switched_off[0].emplace_back(pass);
  for (const auto& passes : switched_off) {
    const Bench other(edge_model(of()), graphs, {.disabled_passes = passes});
    for (const int threads : {1, 3})
      expect_same_numbers(other.run(samples, {.threads = threads}), reference, *bench.parameters,
                          of().name + ", without " + passes.front());
  }
  for (const Streaming streaming : {Streaming::kOff, Streaming::kOn})
    expect_same_numbers(bench.run(samples, {.threads = 2, .streaming = streaming}), reference, *bench.parameters,
                        of().name);
}

TEST_P(EdgeInput, GradientsMatchDifferences) {
  const GraphSet graphs = edge_graphs(4);
  expect_gradients_match_differences(Bench(edge_model(of()), graphs), all_samples(graphs), of().name);
}

TEST_P(EdgeInput, ASavedModelIsTheSame) {
  const GraphSet graphs = edge_graphs(3);
  const Model model = edge_model(of()), again = Model::from_json(model.to_json());
  EXPECT_EQ(again.to_json(), model.to_json());
  EXPECT_EQ(*compile(again), *compile(model));
  const auto samples = all_samples(graphs);
  const Bench one(model, graphs), two(again, graphs);
  expect_same_result_bits(two.run(samples), one.run(samples), of().name);
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

/// The same graphs with a vertex of type "edge" between a vertex and each of its children.
GraphSet with_vertices_for_edges(const GraphSet& graphs) {
  GraphSet out({.types = {"vertex", "edge"},
                .index_ports = {"word", "label", "relation", "kind"},
                .float_ports = {{"bond", kBondWidth}}});
  const GraphArrays a = graphs.to_arrays();
  for (std::int32_t s = 0; s < graphs.size(); ++s) {
    const std::int64_t begin = a.sample_begin[s], end = a.sample_begin[s + 1];
    InputGraph graph;
    graph.child_offsets = {0}, graph.index_pulls.resize(4), graph.float_pulls.resize(1);
    std::vector<std::int64_t> slots;
    for (std::int64_t v = begin; v < end; ++v) {
      for (std::int64_t k = a.child_offsets[v]; k < a.child_offsets[v + 1]; ++k) {
        graph.children.push_back(a.children[k] < 0 ? -1 : static_cast<std::int32_t>(end - begin + std::ssize(slots)));
        if (a.children[k] >= 0) slots.push_back(k);
      }
      graph.types.push_back(0), graph.child_offsets.push_back(static_cast<std::int32_t>(graph.children.size()));
      for (int p : {0, 1}) graph.index_pulls[p].push_back(a.index_pulls[p][v]), graph.index_pulls[2 + p].push_back(-1);
      graph.float_pulls[0].insert(graph.float_pulls[0].end(), kBondWidth, 0.0F);
    }
    for (const std::int64_t k : slots) {
      graph.types.push_back(1), graph.children.push_back(a.children[k]);
      graph.child_offsets.push_back(static_cast<std::int32_t>(graph.children.size()));
      for (int p : {0, 1})
        graph.index_pulls[p].push_back(-1), graph.index_pulls[2 + p].push_back(a.edge_index_pulls[p][k]);
      for (int i = 0; i < kBondWidth; ++i) graph.float_pulls[0].push_back(a.edge_float_pulls[0][k * kBondWidth + i]);
    }
    out.add(graph);
  }
  return out;
}

/// Messages from children and labels of edges, in the vertex or in a vertex for each edge.
Model messages(bool vertices_for_edges) {
  Model m({.seed = 5});
  auto E = m.lookup("E", {kWords, kHidden}), R = m.lookup("R", {kRelations, kHidden});
  auto U = m.parameter("U", {kHidden, kHidden}), B = m.parameter("B", {kBondWidth, kHidden}),
       W = m.parameter("W", {kHidden, kRelations});
  const auto vertex = [&](Vertex& v, const Value& from_children) {
    auto h = tanh(E(v.pull_index("word")) + sum(from_children));
    v.scatter("h", h), v.push("h", h);
    return h;
  };
  m.vertex_function("vertex", [&](Vertex& v) {
    if (vertices_for_edges) {
      vertex(v, v.children("message"));
      return;
    }
    auto message = relu(v.children("h") * U + v.pull_edges("bond", kBondWidth) * B + R(v.pull_edge_index("kind")));
    vertex(v, message);
    v.loss(sum(softmax_cross_entropy(message * W, v.pull_edge_index("relation"))));
  });
  if (!vertices_for_edges) return m;
  m.vertex_function("edge", [&](Vertex& v) {
    auto message = relu(v.gather(0, "h") * U + v.pull("bond", kBondWidth) * B + R(v.pull_index("kind")));
    v.scatter("message", message);
    v.loss(softmax_cross_entropy(message * W, v.pull_index("relation")));
  });
  return m;
}

TEST(EdgeInputShapes, GivesWhatAVertexForEachEdgeGives) {
  const GraphSet graphs = edge_graphs(7);
  const auto samples = all_samples(graphs);
  const GraphSet with_vertices = with_vertices_for_edges(graphs);
  const Result expected = Bench(messages(true), with_vertices).run(samples, {.engine = EngineKind::kReference});
  const Bench bench(messages(false), graphs);
  for (const EngineKind engine : {EngineKind::kBatched, EngineKind::kReference}) {
    const Result found = bench.run(samples, {.engine = engine});
    EXPECT_NEAR(found.loss, expected.loss, 1e-5 * expected.loss);
    EXPECT_EQ(found.labels, expected.labels) << "a label an edge that has one";
    for (std::size_t p = 0; p < expected.gradients.values.size(); ++p)
      expect_close(found.gradients.values[p], expected.gradients.values[p],
                   std::string(to_string(engine)) + ", gradient " + bench.parameters->info(static_cast<int>(p)).name);
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
  EXPECT_EQ(labels(0), graphs.vertices()) << "without labels each vertex counts";
}

/// A network whose function reads its vertices in one direction, and what it gives at them.
Result of_direction(bool reverse, const GraphSet& graphs) {
  Model m({.seed = 5});
  auto E = m.lookup("E", {kWords, kHidden}), R = m.lookup("R", {kRelations, kHidden});
  auto B = m.parameter("B", {kBondWidth, kHidden});
  m.vertex_function("reader",
                    [&](Vertex& v) {
                      auto edge = v.pull_edges("bond", kBondWidth) * B + R(v.pull_edge_index("relation"));
                      auto h = tanh(E(v.pull_index("word")) + sum(v.children("h") * edge));
                      v.scatter("h", h), v.push("h", h);
                    },
                    {.over = {"vertex"}, .reverse = reverse});
  m.vertex_function("judge",
                    [&](Vertex& v) {
                      auto h = v.pull("h", kHidden);
                      v.push("logits", h), v.loss(sum_features(square(h)));
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
  // 0 <- 1 <- 2, and the same chain the other way round with each edge's input at its other end.
  GraphSet forward(edge_schema()), backward(edge_schema());
  InputGraph chain{.types = {0, 0, 0},
                   .child_offsets = {0, 0, 1, 2},
                   .children = {0, 1},
                   .index_pulls = {{1, 2, 3}, {-1, -1, -1}},
                   .float_pulls = {std::vector<float>(3 * kBoxWidth)},
                   .edge_index_pulls = {{4, 2}, {-1, -1}},
                   .edge_float_pulls = {{1, 2, 3, -1, 0.5F, -2}}};
  forward.add(chain);
  chain.child_offsets = {0, 1, 2, 2}, chain.children = {1, 2};
  backward.add(chain);
  const Result one = of_direction(false, forward), two = of_direction(true, backward);
  EXPECT_GT(one.loss, 0);
  EXPECT_NEAR(one.loss, two.loss, 1e-6 * one.loss);
  for (std::size_t p = 0; p < one.gradients.values.size(); ++p)
    expect_close(two.gradients.values[p], one.gradients.values[p], "gradient " + std::to_string(p));
}

}  // namespace
}  // namespace cavs
