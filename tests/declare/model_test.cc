#include "cavs/model.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "cavs/session.h"
#include "declare/function.h"
#include "graphs/error_text.h"
#include "helpers/models.h"

namespace cavs {
namespace {

TEST(Model, TheTreeLstmOfThePaperTakesAtMost25Lines) {
  const auto path = std::filesystem::path(__FILE__).parent_path() / "../../src/models/tree_lstm.cc";
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  int lines = 0;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    inside = inside || line.starts_with("Model tree_lstm(");
    lines += inside && !line.empty();
    if (line == "}") inside = false;
  }
  EXPECT_GT(lines, 10);
  EXPECT_LE(lines, 25);
}

TEST(Model, GivesTheParametersInTheOrderOfDeclaration) {
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

TEST(Model, VertexRowsMeetEdgeRows) {
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

TEST(Domains, JoinToTheSmallestInWhichBothCanBeRead) {
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
