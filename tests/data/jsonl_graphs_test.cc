#include <gmock/gmock.h>

#include "cavs/readers.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;

TEST(JsonGraphs, AreConcatenatedInASample) {
  const GraphSet graphs = parse_jsonl(R"({"graphs":[{"children":[[],[0,-1]],"pull":{"word":[4,5]},"label":[1,-1]},)"
                                      R"({"children":[[1],[]],"pull":{"word":[6,7]}}]})",
                                      "g");
  EXPECT_EQ(graphs.size(), 1);
  EXPECT_THAT(graphs.children(), ElementsAre(0, -1, 3));
  EXPECT_THAT(graphs.child_begin(), ElementsAre(0, 0, 2, 3, 3));
  EXPECT_THAT(graphs.to_arrays().index_pulls, ElementsAre(ElementsAre(4, 5, 6, 7), ElementsAre(1, -1, -1, -1)));
}

TEST(JsonGraphs, HaveTheirRootsUnderATopVertex) {
  const GraphSet graphs = parse_jsonl(R"({"top":{"types":["pair"],"pull":{"score":[[4.5]]},"label":[2]},)"
                                      R"("graphs":[{"types":["node","node"],"children":[[],[]],"pull":{"word":[1,2]}},)"
                                      R"({"types":["node","node"],"children":[[1],[]],"pull":{"word":[3,4]}}]})",
                                      "g");
  EXPECT_THAT(graphs.schema().types, ElementsAre("node", "pair"));
  EXPECT_THAT(graphs.types(), ElementsAre(0, 0, 0, 0, 1));
  EXPECT_THAT(graphs.children(), ElementsAre(3, 0, 1, 2));
  EXPECT_THAT(graphs.to_arrays().index_pulls, ElementsAre(ElementsAre(1, 2, 3, 4, -1), ElementsAre(-1, -1, -1, -1, 2)));
  EXPECT_THAT(graphs.to_arrays().float_pulls, ElementsAre(ElementsAre(0, 0, 0, 0, 4.5F)));
  EXPECT_THAT(graphs.to_arrays().float_present, ElementsAre(ElementsAre(0, 0, 0, 0, 1)));
}

TEST(JsonGraphs, MayLackPortsOfOtherGraphs) {
  const GraphSet graphs =
      parse_jsonl(R"({"graphs":[{"children":[[]],"pull":{"x":[[1,2]]}},{"children":[[]],"pull":{"y":[3]}},)"
                  R"({"children":[[],[]],"pull":{"x":[null,[5,6]],"y":[null,-1]}}]})",
                  "g");
  EXPECT_THAT(graphs.schema().index_ports, ElementsAre("label", "y"));
  EXPECT_THAT(graphs.index_pulls(1), ElementsAre(-1, 3, -1, -1));
  EXPECT_THAT(graphs.float_pulls(0), ElementsAre(1, 2, 0, 0, 0, 0, 5, 6));
  EXPECT_THAT(graphs.float_present(0), ElementsAre(1, 0, 0, 1));
}

TEST(JsonGraphs, HaveNames) {
  const Vocabulary words({"<unk>", "a"});
  const std::vector<std::string> tags{"N"};
  const GraphSet graphs =
      parse_jsonl(R"({"graphs":[{"children":[[]],"pull":{"word":["a"]}},{"children":[[]],"pull":{"word":[null]}}],)"
                  R"("top":{"label":["N"]}})",
                  "g", {.words = &words, .class_names = &tags});
  EXPECT_THAT(graphs.to_arrays().index_pulls, ElementsAre(ElementsAre(1, -1, -1), ElementsAre(-1, -1, 0)));
}

TEST(JsonGraphs, ReportMistakes) {
  expect_mistakes(
      {{R"({"graphs":[]})", "'graphs' is empty; expected at least one graph"},
       {R"({"graphs":[[]]})",
        "in 'graphs' expected an array of graphs, objects such as {\"children\":[[],[0]]}; found an array"},
       {R"({"graphs":{}})",
        "in 'graphs' expected an array of graphs, objects such as {\"children\":[[],[0]]}; found an object"},
       {R"({"children":[[]],"graphs":[{"children":[[]]}]})",
        "found other keys beside 'graphs'; expected them in each graph"},
       {R"({"children":[[]],"top":{"label":[1]}})",
        "key 'top' without key 'graphs'; expected the graphs below the top"},
       {R"({"graphs":[{"label":[1]}]})",
        "graph 0: key 'children' is missing; expected an array of arrays, one per vertex"},
       {R"({"graphs":[{"graphs":[]}]})", "unknown key 'graphs'; known: children, edges, label, pull, types"},
       {R"({"graphs":[{"children":[[]]}],"top":{"children":[[]]}})",
        "'top' has the key 'children'; its children are the roots of the graphs"},
       {R"({"graphs":[{"children":[[]]}],"top":{"label":[1,2]}})",
        "top: 'label' has 2 entries; expected 1, one per vertex"},
       {R"({"graphs":[{"children":[[]]}],"top":[1]})",
        "in 'top' expected an object, a graph of one vertex such as {\"label\":[1]}; found an array"},
       {R"({"graphs":[{"children":[[]]},{"children":[[1]]}]})",
        "a graph has the child 1; expected one of its own vertices, 0 to 0"},
       {R"({"graphs":[{"children":[[]],"types":["a"]},{"children":[[]]}]})",
        "only some of its graphs have the key 'types'; expected the key in all of them or in none"},
       {R"({"graphs":[{"children":[[]],"pull":{"x":[1]}},{"children":[[]],"pull":{"x":[[1]]}}]})",
        "'x' has another form in one graph than in earlier graphs; expected only numbers, only names or only rows of "
        "numbers"},
       {R"({"graphs":[{"children":[[]],"pull":{"x":[[1]]}},{"children":[[]],"pull":{"x":[[1,2]]}}]})",
        "port 'x' has rows of 2 numbers in one graph; expected 1 as in earlier graphs"}},
      "g:1: ", [](const std::string& text) { parse_jsonl(text, "g"); });
}

}  // namespace
}  // namespace cavs
