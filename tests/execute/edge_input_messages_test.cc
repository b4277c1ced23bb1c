// Errors for edge input that is missing, misplaced or out of range.

#include <gmock/gmock.h>

#include <functional>

#include "execute/edge_models.h"
#include "graphs/error_text.h"
#include "helpers/evaluate.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const std::function<void(Model&, Vertex&)>& declare, const GraphSet& graphs) {
  Model m;
  m.vertex_function("vertex", [&](Vertex& v) { declare(m, v); });
  return error_of([&] { bind_graphs(compile(m), graphs); });
}

TEST(EdgeInputMessages, NamesPortsThatAreMissingOrBelongToVertices) {
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
              AllOf(HasSubstr("[pull_edges]"), HasSubstr("4 numbers from 'bond', but the graphs have 3")));
  EXPECT_THAT(with([](Model&, Vertex& v) { return sum(v.pull_edges("box", 4)); }),
              HasSubstr("they have it for vertices: use pull"));
  EXPECT_THAT(with([](Model&, Vertex& v) { return v.pull("bond", 3); }),
              HasSubstr("they have it for edges: use pull_edges"));
  EXPECT_THAT(with([](Model& m, Vertex& v) {
                return m.lookup("R", {9, 4})(v.pull_index("box"));
              }),
              HasSubstr("they have it as fp32 numbers: provide integers, or use pull"));
  EXPECT_THAT(with([](Model&, Vertex& v) { return sum(v.pull_edges("relation", 1)); }),
              HasSubstr("they have it as integers: provide fp32 numbers, or use pull_edge_index"));
  EXPECT_THAT(with([](Model& m, Vertex& v) {
                return sum(m.lookup("R", {9, 4})(v.pull_edge_index("relatoin")));
              }),
              AllOf(HasSubstr("[pull_edge_index]"), HasSubstr("did you mean 'relation'?")));
  EXPECT_THAT(with([](Model& m, Vertex& v) {
                return sum(m.lookup("R", {9, 4})(v.pull_edge_index("word")));
              }),
              HasSubstr("they have it for vertices: use pull_index"));
  EXPECT_THAT(with([](Model& m, Vertex& v) {
                return m.lookup("R", {9, 4})(v.pull_index("kind"));
              }),
              HasSubstr("they have it for edges: use pull_edge_index"));
  EXPECT_THAT(with([](Model&, Vertex& v) { return sum(v.where_edge_present("size", v.constant(1))); }),
              AllOf(HasSubstr("[where_edge_present]"), HasSubstr("'size'"), HasSubstr("no such port of edges")));
}

TEST(EdgeInputMessages, NamesTheEdgeOfANumberOutOfRange) {
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

TEST(EdgeInputMessages, ReportsMistakesOfADeclaration) {
  EXPECT_THAT(complaint([](Model&, Vertex& v) { v.pull_edges("", 3); }), HasSubstr("[pull_edges] the name is empty"));
  EXPECT_THAT(complaint([](Model&, Vertex& v) { v.pull_edges("bond", 0); }), HasSubstr("has width 0"));
  EXPECT_THAT(complaint([](Model&, Vertex& v) { v.pull_edges("bond", 3, -1); }), HasSubstr("first slot -1"));
  EXPECT_THAT(complaint([](Model&, Vertex& v) {
                v.children("h", 1);
                v.pull_edges("bond", 3);
              }),
              AllOf(HasSubstr("[children] begins at child slot 1 and at 0"), HasSubstr("one first slot")));
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
              HasSubstr("found one row per child"));
}

TEST(EdgeInputMessages, RefusesADocumentThatIsNoSuchFunction) {
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

TEST(EdgeInputMessages, GradientsOfEdgeInputAreNotOffered) {
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
