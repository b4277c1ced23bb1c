#include "cavs/model.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "cavs/session.h"
#include "graphs/error_text.h"
#include "helpers/models.h"
#include "ir/builder.h"
#include "ir/op.h"

namespace cavs {
namespace {

TEST(Model, TheTreeLstmOfThePaperTakesAtMost25Lines) {
  const auto path = std::filesystem::path(__FILE__).parent_path() / "../../src/models/tree_lstm.cc";
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  int lines = 0;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    inside = inside || line.starts_with("Value child_sum_lstm(") || line.starts_with("Model tree_lstm(");
    lines += inside && !line.empty();
    if (line == "}") inside = false;
  }
  EXPECT_GT(lines, 10);
  EXPECT_LE(lines, 25);
}

TEST(Model, RefusesParametersOfAnotherModel) {
  Model other, model;
  const auto W = other.parameter("W", {3, 4}), none = other.parameter("V", {3, 4});
  const auto E = other.lookup("E", {3, 4});
  model.parameter("W", {3, 400});
  model.parameter("E", {3, 4});
  const auto error = [&](const auto& declare) {
    const std::string text = error_of([&] { model.vertex_function("f", declare); });
    EXPECT_TRUE(model.types().empty());
    return text;
  };
  EXPECT_EQ(
      error([&](Vertex& v) { v.push("y", v.pull("x", 3) * W); }),
      "[parameter] vertex function 'f' uses 'W' as a parameter [3, 4], the model has a parameter 'W' [3, 400]; use "
      "what this model's own declaration returned");
  EXPECT_THAT(error([&](Vertex& v) { v.push("y", v.pull("x", 3) * none); }), testing::HasSubstr("no such parameter"));
  EXPECT_THAT(error([&](Vertex& v) { v.push("y", E(v.pull_index("w"))); }),
              testing::HasSubstr("'E' as a table [3, 4], the model has a parameter 'E' [3, 4]"));
  model.vertex_function("f", [](Vertex& v) { v.push("y", v.pull("x", 3)); });
  EXPECT_THAT(error_of([&] { model.extend("f", [&](Vertex& v) { v.push("z", v.pull("x", 3) * W); }); }),
              testing::HasSubstr("[3, 400]"));
}

TEST(Model, ListsParametersInTheOrderOfDeclaration) {
  Model m;
  m.parameter("b", {2});
  m.lookup("E", {3, 2});
  m.parameter("b", {2});
  ASSERT_EQ(m.parameters().size(), 2U);
  EXPECT_EQ(m.parameters()[0].name, "b");
  EXPECT_TRUE(m.parameters()[1].table);
}

TEST(Model, AStateMayBeGatheredBeforeItsShapeIsKnown) {
  Model m;
  m.vertex_function("inner", [&](Vertex& v) {
    v.scatter("h", tanh(v.gather(0, "h") * m.parameter("W", {3, 3}) + v.gather(1, "h")));
  });
  m.vertex_function("leaf", [&](Vertex& v) { v.scatter("h", v.pull("x", 3)); });
  const Node& gather = m.functions()[0].nodes[0];
  EXPECT_TRUE(gather.shape_known);
  EXPECT_EQ(gather.shape, (Shape{3}));
}

TEST(Model, CopiesAreIndependent) {
  Model m;
  m.vertex_function("a", [](Vertex& v) { v.push("y", v.pull("x", 1)); });
  Model copy = m;
  copy.vertex_function("b", [](Vertex& v) { v.push("y", v.pull("x", 1)); });
  EXPECT_THAT(m.types(), testing::ElementsAre("a"));
  EXPECT_THAT(copy.types(), testing::ElementsAre("a", "b"));
}

TEST(Model, ReturnedValuesCanExtendAVertexFunction) {
  const Model plain = small_model("tree-lstm");
  Model more = plain;
  more.extend("tree_lstm", [](Vertex& v) {
    v.push("memory", v.scattered("c"));
    v.push("probabilities", softmax(v.pushed("logits")));
  });
  EXPECT_THAT(error_of([&] { compile(plain, {.training = false, .pushes = std::vector<std::string>{"memory"}}); }),
              testing::HasSubstr("no vertex function pushes the requested output 'memory'"));
  const auto program = compile(more, {.training = false});
  GraphSet graphs(tree_schema());
  InputGraph tree = graph_of({{}, {}, {0, 1}});
  tree.index_pulls = {{1, 2, -1}, {-1, -1, 0}};
  graphs.add(tree);
  const auto bound = bind_graphs(program, graphs);
  Session session(program, more.make_parameters());
  const std::int32_t sample = 0;
  const auto run = session.forward(*bound, {&sample, 1});
  const std::vector<float> probabilities = run.output("probabilities"), logits = run.output("logits");
  double sum = 0;
  for (const float x : probabilities) sum += x;
  EXPECT_NEAR(sum, 3, 1e-5);
  EXPECT_NEAR(probabilities[1] / probabilities[0], std::exp(logits[1] - logits[0]), 1e-5);
  EXPECT_EQ(run.rows("memory").size(), 3U);
}

const Shape& shape_of(const std::vector<Function>& functions, std::string_view op, const std::string& name) {
  for (const Node& node : functions[0].nodes)
    if (node.op->name == op && node.attribute_name() == name) return node.shape;
  throw std::out_of_range(name);
}

TEST(Model, AStateOfOneNumberMayBeGatheredFirst) {
  Model m;
  auto W = m.parameter("W", {3, 1}), U = m.parameter("U", {1, 4});
  m.vertex_function("cell", [&](Vertex& v) {
    auto x = v.pull("x", 3) * W, h = v.gather(0, "h"), c = v.gather(0, "c");
    auto inside = sigmoid(x) * c + v.gather(1, "c") * 0.5;
    v.scatter("c", inside);
    v.scatter("h", tanh(inside) + h);
    v.push("y", h * U);
  });
  std::vector<Function> functions = m.functions();
  resolve_states(functions, true);
  for (const char* state : {"c", "h"}) EXPECT_EQ(shape_of(functions, "gather", state), Shape{1}) << state;
}

TEST(Model, AScalarAndOneNumberGiveOneNumber) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    auto x = v.pull("x", 1), s = sum_features(x);
    v.push("left", s * x);
    v.push("right", x * s);
    v.push("scalar", s * s);
  });
  for (const char* port : {"left", "right"}) EXPECT_EQ(shape_of(m.functions(), "push", port), Shape{1}) << port;
  EXPECT_EQ(shape_of(m.functions(), "push", "scalar"), Shape{});
}

TEST(Model, AStateWiderThanTheChildsIsRefused) {
  Model m;
  m.vertex_function("cell", [](Vertex& v) {
    auto h = v.gather(0, "h") + v.pull("x", 1);
    v.scatter("h", concat({h, h}));
  });
  EXPECT_THAT(error_of([&] { compile(m); }), testing::HasSubstr("state 'h'"));
}

TEST(Model, AFailedExtensionChangesNothing) {
  Model m = small_model("tree-lstm");
  EXPECT_THAT(error_of([&] { m.extend("tree_lstn", [](Vertex&) {}); }),
              testing::HasSubstr("[extend] type 'tree_lstn' has no vertex function; did you mean 'tree_lstm'?"));
  const auto nodes = m.functions()[0].nodes.size();
  EXPECT_THAT(error_of([&] {
                m.extend("tree_lstm", [](Vertex& v) {
                  v.push("memory", v.scattered("c"));
                  v.push("none", v.scattered("d"));
                });
              }),
              testing::HasSubstr("[scatter] vertex function 'tree_lstm' has no 'd' yet; known: c, h"));
  EXPECT_EQ(m.functions()[0].nodes.size(), nodes);
  EXPECT_THAT(error_of([&] { m.extend("tree_lstm", [](Vertex& v) { v.push("logits", v.scattered("c")); }); }),
              testing::HasSubstr("port 'logits' is set twice"));
}

TEST(Model, VertexRowsCombineWithEdgeRows) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    const Value x = v.pull("x", 2), edge = x + v.children("h");
    v.scatter("h", x);
    v.push("y", sum(edge));
  });
  const Function& f = m.functions()[0];
  EXPECT_EQ(f.nodes[2].domain.kind, DomainKind::kEdge);
  EXPECT_EQ(f.nodes.back().domain.kind, DomainKind::kVertex);
}

TEST(Domains, JoinToTheSmallestDomainInWhichBothCanBeRead) {
  const Domain parameter{DomainKind::kParameter, {}}, vertex{DomainKind::kVertex, {}}, edge{DomainKind::kEdge, {}};
  const Domain word{DomainKind::kPresent, "word"}, tag{DomainKind::kPresent, "tag"};
  EXPECT_EQ(join(parameter, word), word);
  EXPECT_EQ(join(word, vertex), vertex);
  EXPECT_EQ(join(vertex, edge), edge);
  EXPECT_EQ(join(word, word), word);
  EXPECT_EQ(join(word, tag), vertex);
}

}  // namespace
}  // namespace cavs
