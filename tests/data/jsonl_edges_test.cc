// JSON lines with input of edges: reading, checks, names, and lines with several graphs.

#include <gmock/gmock.h>

#include <string>

#include "cavs/data.h"
#include "cavs/readers.h"
#include "cavs/trained_model.h"
#include "graphs/error_text.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string edge_error(const std::string& text) {
  return error_of([&] { parse_jsonl(text, "g"); });
}

/// A line with the children [[],[],[0,-1,1]] and this object "edges".
std::string with_edges(const std::string& edges) { return R"({"children":[[],[],[0,-1,1]],"edges":)" + edges + "}"; }

TEST(JsonEdges, HaveIntegersAndRowsInTheOrderOfTheChildren) {
  const GraphSet graphs =
      parse_jsonl(with_edges(R"({"order":[[],[],[2,null,0]],"bond":[[],[],[[1,2],null,null]]})") + "\n" +
                      R"({"children":[[1],[]],"edges":{"bond":[[[3,4]],[]],"order":[[-1],[]]}})",
                  "g");
  EXPECT_THAT(graphs.schema().edge_index_ports, ElementsAre("order"));
  EXPECT_THAT(graphs.schema().edge_float_ports, ElementsAre(GraphSchema::FloatPort{.name = "bond", .width = 2}));
  EXPECT_THAT(graphs.edge_index_pulls(0), ElementsAre(2, -1, 0, -1));
  EXPECT_THAT(graphs.edge_float_pulls(0), ElementsAre(1, 2, 0, 0, 0, 0, 3, 4));
  EXPECT_THAT(graphs.edge_float_present(0), ElementsAre(1, 0, 0, 1));
}

TEST(JsonEdges, LinesWithoutValuesGetTheTypeFromALaterLine) {
  const GraphSet graphs = parse_jsonl(R"({"children":[[]],"edges":{"bond":[[]],"order":[[]]}})"
                                      "\n"
                                      R"({"children":[[1],[]],"edges":{"bond":[[[0.5]],[]],"order":[[3],[]]}})",
                                      "g");
  EXPECT_THAT(graphs.schema().edge_float_ports, ElementsAre(GraphSchema::FloatPort{.name = "bond", .width = 1}));
  EXPECT_THAT(graphs.edge_float_pulls(0), ElementsAre(0.5F));
  EXPECT_THAT(graphs.edge_index_pulls(0), ElementsAre(3));
}

TEST(JsonEdges, EdgesOfSeveralGraphsAreConcatenated) {
  const GraphSet graphs =
      parse_jsonl(R"({"graphs":[{"children":[[],[0]],"edges":{"order":[[],[1]]}},{"children":[[]]},)"
                  R"({"children":[[1,-1],[]],"edges":{"order":[[2,null],[]],"bond":[[[5],null],[]]}}],)"
                  R"("top":{"edges":{"order":[[7,null,8]]}}})",
                  "g");
  EXPECT_THAT(graphs.children(), ElementsAre(0, 4, -1, 1, 2, 3));
  EXPECT_THAT(graphs.edge_index_pulls(0), ElementsAre(1, 2, -1, 7, -1, 8));
  EXPECT_THAT(graphs.edge_float_pulls(0), ElementsAre(0, 5, 0, 0, 0, 0));
  EXPECT_THAT(graphs.edge_float_present(0), ElementsAre(0, 1, 0, 0, 0, 0));
  EXPECT_EQ(edge_error(R"({"graphs":[{"children":[[]]},{"children":[[]]}],"top":{"edges":{"order":[[7]]}}})"),
            "g:1: top: edge port 'order' has 1 arrays with 1 entries; expected one array with 2 entries, one per root "
            "of the graphs");
}

TEST(JsonEdges, ReportMistakes) {
  const std::vector<Mistake> of_edges{
      {"[1]", "in 'edges' expected an object of ports; found an array"},
      {R"({"order":2})", "in edge port 'order' expected an array for each vertex, with one entry per child; found 2"},
      {R"({"order":[2,0]})",
       "in edge port 'order' expected an array for each vertex, with one entry per child; found 2"},
      {R"({"order":[[],[]]})", "edge port 'order' has 2 arrays; expected 3, one per vertex"},
      {R"({"order":[[],[1],[2,null,3]]})", "edge port 'order' has 1 entries at vertex 1; expected 0, one per child"},
      {R"({"order":[[],[],[2,3]]})", "edge port 'order' has 2 entries at vertex 2; expected 3, one per child"},
      {R"({"order":[[],[],[2,1,3]]})",
       "edge port 'order' has an entry at child 1 of vertex 2, but that child is absent; expected null"},
      {R"({"bond":[[],[],[[1],[1],[1]]]})",
       "edge port 'bond' has an entry at child 1 of vertex 2, but that child is absent; expected null"},
      {R"({"bond":[[],[],[[1],null,[1,2]]]})",
       "port 'bond' has 2 numbers at child 2 of vertex 2; expected 1 as in its other rows"},
      {R"({"bond":[[],[],[[],null,[]]]})",
       "port 'bond' has an empty row at child 0 of vertex 2; expected numbers, or null for an absent row"},
      {R"({"order":[[],[],[2,null,-3]]})",
       "in edge port 'order' expected integers from 0, or -1 if absent, one per child of the vertex; found -3"},
      {R"({"order":[[],[],[0.5,null,1]]})",
       "in edge port 'order' expected integers from 0, names or arrays of numbers, or null if absent, one per child of "
       "the vertex; found 0.5"},
      {R"({"order":[[],[],["a",null,3]]})",
       "'order' has numbers and names; expected one or the other, found 3 at child 2 of vertex 2"},
      {R"({"x":[[],[],[1,null,1]],"x":[]})", "edges has two ports 'x'"},
      {R"({"label":[[],[],[1,null,1]]})",
       "'label' is inside edges, but is the name for labels of vertices; expected another name, such as 'relation'"}};
  expect_mistakes(of_edges, "g:1: ", [](const std::string& edges) { parse_jsonl(with_edges(edges), "g"); });
  EXPECT_THAT(edge_error(with_edges(R"({"bond":[[],[],[[1e39],null,[1]]]})")), HasSubstr("which is too large"));
  EXPECT_THAT(edge_error(with_edges(R"({"order":[[],[],["a",null,"b"]]})")), HasSubstr("no names to look it up in"));
  const std::string good = with_edges(R"({"order":[[],[],[2,null,0]]})") + "\n";
  expect_mistakes({{R"({"children":[[]],"edges":{"order":[[]]}})",
                    "1: edge port 'order' has no entry in any line; expected at least one"},
                   {R"({"children":[[]],"pull":{"x":[1]},"edges":{"x":[[]]}})",
                    "1: 'pull' and 'edges' both have a port 'x'; expected different names"},
                   {good + R"({"children":[[]]})", "2: edges has no port 'order'; expected it in every line"},
                   {good + R"({"children":[[]],"edges":{"ordr":[[]]}})",
                    "2: unknown port 'ordr' in edges; did you mean 'order'? known: order"},
                   {good + with_edges(R"({"order":[[],[],[[1],null,[2]]]})"),
                    "2: port 'order' has no integers; expected one index per child"}},
                  "g:", [](const std::string& text) { parse_jsonl(text, "g"); });
}

TEST(JsonEdges, NamesMayHaveAnyBytes) {
  const TemporaryFolder folder;
  const std::string train = written(folder / "train.jsonl", with_edges(R"({"relation":[[],[],["nsubj",null,"det"]]})"));
  const std::string dev = written(folder / "dev.jsonl", with_edges(R"({"relation":[[],[],["obj",null,null]]})"));
  const Dataset data = load_data("jsonl:train=" + train + ",dev=" + dev);
  EXPECT_THAT(data.edge_names, ElementsAre(std::pair("relation", std::vector<std::string>{"det", "nsubj", "obj"})));
  EXPECT_THAT(data.train.edge_index_pulls(0), ElementsAre(1, -1, 0));
  EXPECT_THAT(data.dev.edge_index_pulls(0), ElementsAre(2, -1, -1));
  EXPECT_EQ(data.rows("relation"), 3);
  const GraphSchema schema = data.schema;
  EXPECT_THAT(schema.edge_index_ports, ElementsAre("relation"));
  const EdgeNames names = {{"relation", {"obj", "det", "nsubj"}}};
  const Dataset again = load_data("jsonl:" + train, {.edge_names = &names, .schema = &schema});
  EXPECT_THAT(again.train.edge_index_pulls(0), ElementsAre(2, -1, 1));
  const EdgeNames fewer = {{"relation", {"det"}}};
  EXPECT_THAT(error_of([&] { load_data("jsonl:" + train, {.edge_names = &fewer}); }),
              HasSubstr("edge port 'relation' has the unknown name 'nsubj'"));
  const std::string numbers = written(folder / "numbers.jsonl", with_edges(R"({"relation":[[],[],[4,null,0]]})"));
  EXPECT_THAT(load_data("jsonl:" + numbers).edge_names, IsEmpty());
  EXPECT_THAT(error_of([&] { load_data("jsonl:train=" + train + ",dev=" + numbers); }),
              HasSubstr("expected one or the other"));
}

}  // namespace
}  // namespace cavs
