// Input, labels and targets of edges: law 1, gradients, and the same numbers as a graph that has a vertex for each
// edge.

#include <gmock/gmock.h>

#include <functional>

#include "cavs/graph_builder.h"
#include "cavs/layers.h"
#include "cavs/losses.h"
#include "compile/passes.h"
#include "graphs/error_text.h"
#include "helpers/edge_graphs.h"
#include "helpers/finite_differences.h"
#include "script/scripted.h"
#include "script/validate_script.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::int32_t kHidden = 6;

struct EdgeCase {
  std::string name;
  std::function<void(Model&, Vertex&)> declare;
};

Value words(Model& m, Vertex& v) { return m.lookup("E", {kWords, kHidden})(v.pull_index("word")); }

/// What functions over edges are made of, alone and together.
std::vector<EdgeCase> edge_cases() {
  return {
      {"features",
       [](Model& m, Vertex& v) {
         auto U = m.parameter("U", {kHidden, kHidden}), B = m.parameter("B", {kBondWidth, kHidden});
         auto R = m.lookup("R", {kRelations, kHidden});
         auto message = v.children("h") * U + v.pull_edges("bond", kBondWidth) * B + R(v.pull_edge_index("relation"));
         auto h = tanh(words(m, v) + sum(relu(message)));
         v.scatter("h", h), v.push("h", h);
         v.loss(sum_features(square(h)));
       }},
      {"gates and attention",
       [](Model& m, Vertex& v) {
         auto U = m.parameter("U", {kHidden, kHidden}), B = m.parameter("B", {kBondWidth, kHidden});
         auto R = m.lookup("R", {kRelations, kHidden}), E = m.lookup("E", {kWords, kHidden});
         auto h = v.children("h"), bond = v.pull_edges("bond", kBondWidth);
         auto weight = softmax_children(sum_features(R(v.pull_edge_index("relation")) * (h * U)));
         auto x = E(v.pull_index("word"));
         auto all = sum(h * weight) + max(sigmoid(bond * B) * h) + mean(h * sum_features(bond));
         auto out = tanh(x + all + sum(E(v.pull_edge_index("kind"))));  // one table by words and by kinds
         v.scatter("h", out), v.push("h", out);
         v.loss(softmax_cross_entropy(slice(out, 0, kLabels), v.pull_index("label")));
       }},
      {"edges alone",
       [](Model& m, Vertex& v) {
         auto B = m.parameter("B", {kBondWidth, kHidden}), W = m.parameter("W", {kHidden, kHidden});
         auto R = m.lookup("R", {kRelations, kHidden});
         auto bond = v.pull_edges("bond", kBondWidth);
         auto h = tanh(words(m, v) + sum(bond * B) + max(R(v.pull_edge_index("relation")) * W) +
                       concat({sum(bond), mean(slice(bond, 1, 2)), sum_features(max(bond))}) +
                       mean(R(v.pull_edge_index("kind"))) + mean(v.children("h")));
         v.scatter("h", h), v.push("h", h);
         v.loss(sum_features(h));
       }},
      {"children from slot 1",
       [](Model& m, Vertex& v) {
         auto B = m.parameter("B", {kBondWidth, kHidden});
         auto R = m.lookup("R", {kRelations, kHidden});
         auto edge = v.pull_edges("bond", kBondWidth, 1) * B + R(v.pull_edge_index("relation", 1));
         auto h = tanh(words(m, v) + v.gather(0, "h") * 0.5 + sum(v.children("h", 1) * edge));
         v.scatter("h", h), v.push("h", h);
         v.loss(sum_features(square(h)));
       }},
      {"labels of edges",
       [](Model& m, Vertex& v) {
         auto U = m.parameter("U", {kHidden, kHidden}), W = m.parameter("W", {kHidden, kRelations});
         auto b = m.parameter("b", {kRelations}, Initializer::uniform(1));
         auto children = v.children("h");
         auto h = tanh(words(m, v) +
                       sum(children * U + v.pull_edges("bond", kBondWidth) * m.parameter("B", {kBondWidth, kHidden})));
         v.scatter("h", h), v.push("h", h);
         auto logits = (children * U + h) * W + b;
         v.loss(sum(softmax_cross_entropy(logits, v.pull_edge_index("relation"))));
         v.loss(softmax_cross_entropy(slice(h, 0, kLabels), v.pull_index("label")) * 0.5);
         v.push("right", sum(dot(hard_max(logits), one_hot(v.pull_edge_index("relation"), kRelations))));
       }},
      {"a vertex predicts its edges",
       [](Model& m, Vertex& v) {
         auto h = tanh(words(m, v) + sum(v.children("h")) * 0.5);
         v.scatter("h", h);
         auto logits = h * m.parameter("W", {kHidden, kRelations});
         v.loss(sum(softmax_cross_entropy(logits, v.pull_edge_index("relation"))));
       }},
      {"targets of edges",
       [](Model& m, Vertex& v) {
         auto children = v.children("h");
         auto h = tanh(words(m, v) + sum(children) * 0.5);
         v.scatter("h", h), v.push("h", h);
         auto found = (children * h) * m.parameter("W", {kHidden, kBondWidth});
         v.loss(sum(mean_squared_error(found, v.pull_edges("bond", kBondWidth))));
         v.loss(sum(v.where_edge_present("kind", sum_features(abs(found)))));
       }},
      {"many classes",
       [](Model& m, Vertex& v) {
         auto children = v.children("h");
         auto h = tanh(words(m, v) + sum(children) * 0.5);
         v.scatter("h", h);
         auto logits = children * m.parameter("W", {kHidden, 300}) + m.parameter("b", {300});
         v.loss(sum(softmax_cross_entropy(logits, v.pull_edge_index("relation"))));
       }},
  };
}

Model edge_model(const EdgeCase& of, const std::vector<std::string>& types = {"vertex"}) {
  Model m({.seed = 5});
  for (const std::string& type : types) m.vertex_function(type, [&](Vertex& v) { of.declare(m, v); });
  return m;
}

GraphSet edge_graphs(std::int32_t count, std::int32_t types = 1) {
  GraphSet graphs(dressed_schema(types == 1 ? std::vector<std::string>{"vertex"} : std::vector<std::string>{"a", "b"}));
  for (std::int32_t i = 0; i < count; ++i)
    graphs.add(dressed(
        generate_dag({.vertices = 2 + 3 * i, .min_arity = 0, .max_arity = 4, .types = types, .absent = 0.15F}, 9, i),
        100 + static_cast<std::uint64_t>(i)));
  return with_edges(graphs, 3);
}

class EdgeInput : public testing::TestWithParam<std::size_t> {
 protected:
  EdgeCase of() const { return edge_cases()[GetParam()]; }
};

INSTANTIATE_TEST_SUITE_P(Cases, EdgeInput, testing::Range(std::size_t{0}, edge_cases().size()), [](const auto& made) {
  std::string name = edge_cases()[made.param].name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST_P(EdgeInput, SameNumbersOfAnyPolicyEngineAndBatchSize) {
  for (const std::int32_t types : {1, 2}) {
    const GraphSet graphs = edge_graphs(7, types);
    const auto all = all_samples(graphs);
    const Bench bench(edge_model(of(), graphs.schema().types), graphs);
    const auto policies = every_policy(bench);
    for (const std::size_t batch : {1, 3, 7})
      for (std::size_t first = 0; first + batch <= all.size(); first += 3) {
        const auto samples = std::span(all).subspan(first, batch);
        const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
        for (SessionOptions options : policies)
          for (const EngineKind engine : {EngineKind::kBatched, EngineKind::kPersistent}) {
            options.engine = engine, options.threads = engine == EngineKind::kBatched ? 1 : 2;
            expect_same_numbers(bench.run(samples, options), reference, *bench.parameters,
                                of().name + ", " + options.policy + ", " + std::string(to_string(engine)) + ", batch " +
                                    std::to_string(batch));
          }
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
  for (const EngineKind engine : {EngineKind::kBatched, EngineKind::kPersistent, EngineKind::kReference}) {
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

std::string refusal(const std::function<void(Model&, Vertex&)>& declare, const GraphSet& graphs) {
  Model m;
  m.vertex_function("vertex", [&](Vertex& v) { declare(m, v); });
  return error_of([&] { bind_graphs(compile(m), graphs); });
}

TEST(EdgeInputMessages, WhatTheGraphsLackOrHaveElsewhereIsNamed) {
  const GraphSet graphs = edge_graphs(3);
  const auto with = [&](auto use) {
    return refusal(
        [&](Model& m, Vertex& v) {
          v.scatter("h", sum(v.children("h")) + v.pull("box", kBoxWidth));
          v.loss(sum_features(use(m, v)));
        },
        graphs);
  };
  EXPECT_THAT(with([](Model&, Vertex& v) { return sum(v.pull_edges("bnd", 3)); }),
              AllOf(HasSubstr("[pull_edges]"), HasSubstr("'bnd'"), HasSubstr("no such numbers of edges")));
  EXPECT_THAT(with([](Model&, Vertex& v) { return sum(v.pull_edges("bond", 4)); }),
              AllOf(HasSubstr("[pull_edges]"), HasSubstr("4 numbers from 'bond', the graphs give 3")));
  EXPECT_THAT(with([](Model&, Vertex& v) { return sum(v.pull_edges("box", 4)); }),
              HasSubstr("they have it of vertices: use pull"));
  EXPECT_THAT(with([](Model&, Vertex& v) { return v.pull("bond", 3); }),
              HasSubstr("they have it of edges: use pull_edges"));
  EXPECT_THAT(with([](Model& m, Vertex& v) {
                return sum(m.lookup("R", {9, 4})(v.pull_edge_index("relatoin")));
              }),
              AllOf(HasSubstr("[pull_edge_index]"), HasSubstr("did you mean 'relation'?")));
  EXPECT_THAT(with([](Model& m, Vertex& v) {
                return sum(m.lookup("R", {9, 4})(v.pull_edge_index("word")));
              }),
              HasSubstr("they have it of vertices: use pull_index"));
  EXPECT_THAT(with([](Model& m, Vertex& v) {
                return m.lookup("R", {9, 4})(v.pull_index("kind"));
              }),
              HasSubstr("they have it of edges: use pull_edge_index"));
  EXPECT_THAT(with([](Model&, Vertex& v) { return sum(v.where_edge_present("size", v.constant(1))); }),
              AllOf(HasSubstr("[where_edge_present]"), HasSubstr("'size'"), HasSubstr("no such port of edges")));
}

TEST(EdgeInputMessages, ANumberThatIsNoRowOrClassIsNamedWithItsEdge) {
  GraphSet graphs(edge_schema());
  graphs.add({.types = {0, 0, 0},
              .child_offsets = {0, 0, 0, 2},
              .children = {0, 1},
              .index_pulls = {{0, 0, 0}, {0, 0, 0}},
              .float_pulls = {std::vector<float>(3 * kBoxWidth)},
              .edge_index_pulls = {{1, 5}, {-1, -1}},
              .edge_float_pulls = {std::vector<float>(6)}});
  const auto with = [&](auto use) {
    return refusal(
        [&](Model& m, Vertex& v) { v.scatter("h", reshape(sum_features(sum(use(m, v) + v.children("h"))), {1})); },
        graphs);
  };
  EXPECT_EQ(
      with([](Model& m, Vertex& v) {
        return m.lookup("R", {5, 1})(v.pull_edge_index("relation"));
      }),
      "[lookup] 'relation' of child 1 of vertex 2 of sample 0 is 5, expected -1 (absent) to 4, in vertex function "
      "'vertex'");
  EXPECT_THAT(with([](Model& m, Vertex& v) {
                auto logits = v.children("h") * m.parameter("W", {1, 4});
                v.loss(sum(softmax_cross_entropy(logits, v.pull_edge_index("relation"))));
                return v.children("h");
              }),
              AllOf(HasSubstr("[softmax_cross_entropy]"), HasSubstr("child 1 of vertex 2 of sample 0 is 5")));
}

std::string complaint(const std::function<void(Model&, Vertex&)>& declare) {
  Model m;
  const std::string message = error_of([&] { m.vertex_function("cell", [&](Vertex& v) { declare(m, v); }); });
  EXPECT_TRUE(m.functions().empty());
  EXPECT_THAT(message, HasSubstr("'cell'"));
  return message;
}

TEST(EdgeInputMessages, MistakesOfADeclaration) {
  EXPECT_THAT(complaint([](Model&, Vertex& v) { v.pull_edges("", 3); }), HasSubstr("[pull_edges] the name is empty"));
  EXPECT_THAT(complaint([](Model&, Vertex& v) { v.pull_edges("bond", 0); }), HasSubstr("has width 0"));
  EXPECT_THAT(complaint([](Model&, Vertex& v) { v.pull_edges("bond", 3, -1); }), HasSubstr("first slot -1"));
  EXPECT_THAT(complaint([](Model&, Vertex& v) {
                v.children("h", 1);
                v.pull_edges("bond", 3);
              }),
              AllOf(HasSubstr("[children] begins with child slot 1 and with 0"), HasSubstr("one first slot")));
  EXPECT_THAT(complaint([](Model&, Vertex& v) {
                auto h = v.gather(0, "h") + v.gather(1, "h");
                v.scatter("h", h + sum(v.pull_edges("bond", 3)));
              }),
              AllOf(HasSubstr("[pull_edges] port 'bond'"), HasSubstr("children(state, first)")));
  EXPECT_THAT(complaint([](Model&, Vertex& v) { v.loss(sum(v.where_edge_present("bond", v.constant(1)))); }),
              HasSubstr("[where_edge_present] port 'bond'"));
  EXPECT_THAT(complaint([](Model& m, Vertex& v) {
                auto x = v.children("h") * m.parameter("W", {3, 4});
                v.loss(softmax_cross_entropy(x, v.pull_edge_index("relation")));
              }),
              AllOf(HasSubstr("[loss]"), HasSubstr("reduce it first with sum")));
  EXPECT_THAT(complaint([](Model& m, Vertex& v) {
                v.loss(sum(softmax_cross_entropy(v.children("h") * m.parameter("W", {3, 4}), v.pull_index("label"))));
              }),
              AllOf(HasSubstr("[softmax_cross_entropy]"), HasSubstr("label of the edges")));
  EXPECT_THAT(complaint([](Model&, Vertex& v) { v.push("x", v.children("h") + v.pull_edges("bond", 3)); }),
              HasSubstr("found one row a child"));
}

TEST(EdgeInputMessages, ADocumentThatIsNoSuchFunctionIsRefused) {
  const std::string json = edge_model(edge_cases()[3]).to_json();
  const auto with = [&](std::string from, std::string to) {
    std::string text = json;
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
    EXPECT_NE(text, json);
    return error_of([&] { Model::from_json(text); });
  };
  EXPECT_THAT(with(R"("name":"bond","index":1)", R"("name":"bond","index":-1)"), HasSubstr("first slot -1"));
  EXPECT_THAT(with(R"("name":"bond","index":1)", R"("name":"bond","index":2)"), HasSubstr("one first slot"));
  EXPECT_THAT(with(R"("name":"bond",)", R"("name":"",)"), HasSubstr("[pull_edges] the name is empty"));
  EXPECT_THAT(with(R"({"op":"children","attributes":{"name":"h","index":-2)",
                   R"({"op":"gather","attributes":{"name":"h","index":2)"),
              HasSubstr("which does not read its children by children()"));
}

TEST(EdgeInputMessages, GradientsByInputOfEdgesAreNotOffered) {
  const GraphSet graphs = edge_graphs(2);
  const Bench bench(edge_model(edge_cases()[0]), graphs, {.pull_gradients = true});
  Session session(bench.program, bench.parameters);
  cavs::Run run = session.forward(*bench.bound, all_samples(graphs));
  Gradients gradients(*bench.parameters);
  run.backward(gradients);
  EXPECT_THAT(error_of([&] { run.pull_gradient("bond"); }), HasSubstr("'bond'"));
}

}  // namespace
}  // namespace cavs
