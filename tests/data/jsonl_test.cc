#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "cavs/readers.h"
#include "data/count_comparisons.h"
#include "graphs/error_text.h"
#include "helpers/sanitizer.h"

namespace cavs {
namespace {

using testing::ElementsAre;

const std::string kTree =
    R"({"types":["leaf","leaf","inner"],"children":[[],[],[0,1]],"pull":{"word":[3,7,-1]},"label":[-1,-1,2]})";

TEST(JsonLines, ReadsATreeIntoTheSchemaOfTrees) {
  const GraphSet graphs = parse_jsonl(kTree + "\n", "g");
  EXPECT_EQ(graphs.schema(), tree_schema());
  EXPECT_THAT(graphs.types(), ElementsAre(0, 0, 1));
  EXPECT_THAT(graphs.children(), ElementsAre(0, 1));
  EXPECT_THAT(graphs.to_arrays().index_pulls, ElementsAre(ElementsAre(3, 7, -1), ElementsAre(-1, -1, 2)));
}

TEST(JsonLines, ListsLeafAndInnerFirstThenTypesInOrderOfAppearance) {
  const GraphSet graphs = parse_jsonl(
      "{\"types\":[\"zoo\",\"inner\"],\"children\":[[],[0]]}\n"
      "{\"types\":[\"bar\"],\"children\":[[]]}",
      "g");
  EXPECT_THAT(graphs.schema().types, ElementsAre("leaf", "inner", "zoo", "bar"));
  EXPECT_THAT(graphs.types(), ElementsAre(2, 1, 3));
}

TEST(JsonLines, GivesAllVerticesOneTypeIfNoneIsGiven) {
  const GraphSet graphs = parse_jsonl(R"({"children":[[],[0]]})", "g");
  EXPECT_THAT(graphs.schema().types, ElementsAre("vertex"));
  EXPECT_THAT(graphs.schema().index_ports, ElementsAre("label"));
  EXPECT_THAT(graphs.to_arrays().index_pulls, ElementsAre(ElementsAre(-1, -1)));
}

TEST(JsonLines, ReadsDagsWithSharedAndAbsentChildren) {
  const GraphSet graphs = parse_jsonl(R"({"children":[[1,-1,1],[],[0,1]]})", "g");
  EXPECT_THAT(graphs.children(), ElementsAre(1, -1, 1, 0, 1));
  EXPECT_THAT(graphs.parents(), ElementsAre(2, 0, 0, 2));
}

TEST(JsonLines, ReadsRowsOfNumbersAndNullForAbsentRows) {
  const GraphSet graphs = parse_jsonl(
      "{\"children\":[[],[0]],\"pull\":{\"x\":[null,null]}}\n"
      "{\"children\":[[],[0]],\"pull\":{\"x\":[[1.5,-2],null]}}",
      "g");
  EXPECT_THAT(graphs.schema().float_ports, ElementsAre(GraphSchema::FloatPort{.name = "x", .width = 2}));
  EXPECT_THAT(graphs.to_arrays().float_pulls, ElementsAre(ElementsAre(0, 0, 0, 0, 1.5F, -2, 0, 0)));
  EXPECT_THAT(graphs.to_arrays().float_present, ElementsAre(ElementsAre(0, 0, 1, 0)));
}

TEST(JsonLines, OrdersPortsByNameWithWordAndLabelFirst) {
  const GraphSet graphs =
      parse_jsonl(R"({"children":[[]],"pull":{"tag":[1],"word":[2],"age":[3],"y":[[1]],"x":[[2]]},"label":[0]})", "g");
  EXPECT_THAT(graphs.schema().index_ports, ElementsAre("word", "label", "age", "tag"));
  EXPECT_EQ(graphs.schema().float_ports[0].name, "x");
  EXPECT_THAT(graphs.to_arrays().index_pulls,
              ElementsAre(ElementsAre(2), ElementsAre(0), ElementsAre(3), ElementsAre(1)));
}

TEST(JsonLines, SkipsEmptyLinesAndAcceptsKeysInAnyOrder) {
  const GraphSet graphs = parse_jsonl(
      "\n"
      R"( {"label":[1] , "children":[ [ ] ] } )"
      "\r\n\n",
      "g");
  EXPECT_EQ(graphs.size(), 1);
}

TEST(JsonLines, ReadsLinesIntoAGivenSchema) {
  GraphSchema schema = tree_schema();
  schema.types = {"inner", "leaf"};
  EXPECT_THAT(parse_jsonl(kTree, "g", {.schema = &schema}).types(), ElementsAre(1, 1, 0));
}

/// Checks that each text is refused with its message. The message starts with the line.
void expect_refused_lines(const std::vector<Mistake>& mistakes, const JsonlOptions& options = {},
                          const std::string& place = "g.jsonl:") {
  expect_mistakes(mistakes, place, [&](const std::string& text) { parse_jsonl(text, "g.jsonl", options); });
}

TEST(JsonLines, NamesTheLineOfACycle) {
  expect_refused_lines(
      {{kTree + "\n\n" + R"({"types":["leaf","inner"],"children":[[1],[0]],"pull":{"word":[1,1]}})",
        "3: vertex 0 is its own ancestor (0 -> 1 -> 0), because there are edges in both directions; input graphs must "
        "be acyclic"},
       {R"({"children":[[],[2]]})", "1: child 0 of vertex 1 is 2; expected a vertex 0 to 1, or -1 if absent"},
       {R"({"children":[]})", "1: the graph has no vertex; a graph needs at least one vertex"}});
}

TEST(JsonLines, ReportsInvalidJson) {
  const std::string no_json = ": not valid JSON; expected one object, found ";
  expect_refused_lines(
      {{"", "1: no graph; expected a line such as {\"children\":[[],[],[0,1]]}, found the end of the text"},
       {"{\"children\":[[]]", "1: column 17" + no_json + "the end of the line"},
       {"{\"children\":[[]]}{}", "1: column 18" + no_json + "'{'"},
       {"{\"children\":[[]],\"pull\":{\"x\":[[1e999]]}}",
        "1: column 36: expected a number that fits 64 bits, found a larger one"},
       {"{é}", "1: column 2" + no_json + "'é'"},
       {"\xEF\xBB\x9F", "1: column 3" + no_json + "'\xEF\xBB\x9F'"},
       {"{}\n", "1: key 'children' is missing; expected an array of arrays, one per vertex"},
       {"{\"children\":[[]]}\n{\"children\":[[\xC3]]}",
        "2: expected UTF-8, found the byte 0xC3; convert the file (iconv -f ENCODING -t UTF-8)"}});
}

TEST(JsonLines, ReportsMisplacedValues) {
  const std::string
      line = "in the line expected one object such as {\"children\":[[],[0]]}; found ",
      children = "in 'children' expected an array of arrays of integers: a vertex from 0, or -1 if absent; found ",
      labels =
          "in 'label' expected an array of labels, integers from 0 or names, -1 or null for none, one per vertex; "
          "found ";
  expect_refused_lines({{"[1]", line + "an array"},
                        {"7", line + "7"},
                        {R"({"children":[0]})", children + "0"},
                        {R"({"children":[[0.5]]})", children + "0.5"},
                        {R"({"children":[["a"]]})", children + "\"a\""},
                        {R"({"children":[[[0]]]})", children + "an array"},
                        {R"({"children":{}})", children + "an object"},
                        {R"({"children":[[99999999999]]})", children + "99999999999, which is above 2147483647"},
                        {R"({"children":null})", children + "null"},
                        {R"({"types":[0]})", "in 'types' expected an array of type names, one per vertex; found 0"},
                        {R"({"label":[true]})", labels + "true"},
                        {R"({"label":[-2]})", labels + "-2"},
                        {R"({"label":[[1]]})", labels + "an array"},
                        {R"({"label":[1000000]})", labels + "1000000, which is above 999999"},
                        {R"({"pull":[]})", "in 'pull' expected an object of ports; found an array"}},
                       {}, "g.jsonl:1: ");
}

TEST(JsonLines, ReportsMistakesInAPort) {
  const std::string
      place = "in port 'x' expected ",
      any = place +
            "an array of integers from 0, of names or of arrays of numbers, or null if absent, one per vertex; found ",
      integers = place + "integers from 0, or -1 if absent, one per vertex; found ",
      names = place + "names, or null if absent, one per vertex; found ",
      rows = place + "arrays of numbers, or null if absent, one per vertex; found ";
  expect_refused_lines(
      {{R"({"pull":{"x":3}})", any + "3"},
       {R"({"pull":{"x":[null,-1,[1]]}})", any + "an array"},
       {R"({"pull":{"x":[""]}})", any + "\"\""},
       {R"({"pull":{"x":[1,2.0]}})", integers + "2.0"},
       {R"({"pull":{"x":[1,2147483647]}})", integers + "2147483647, which is above 99999999"},
       {R"({"pull":{"x":[1,[2]]}})", integers + "an array"},
       {R"({"pull":{"x":["a",[1]]}})", names + "an array"},
       {R"({"pull":{"x":["a",""]}})", names + "\"\""},
       {R"({"pull":{"x":["a","\u0000"]}})", names + "a name with a NUL byte"},
       {R"({"pull":{"x":[[1],"a"]}})", rows + "\"a\""},
       {R"({"pull":{"x":[[1],2]}})", rows + "2"},
       {R"({"pull":{"x":[[1e300]]}})", rows + "1e300, which is too large"},
       {R"({"pull":{"x":[[1],[]]}})",
        "port 'x' has an empty row at vertex 1; expected numbers, or null for an absent row"},
       {R"({"pull":{"x":[[1],[2,3]]}})", "port 'x' has 2 numbers at vertex 1; expected 1 as in its other rows"},
       {R"({"children":[[]],"pull":{"x":[null]}})", "float port 'x' has no row in any line; expected at least one"}},
      {}, "g.jsonl:1: ");
}

const Vocabulary kWords({"<unk>", "the", "dog"});
const std::vector<std::string> kTags{"NP", "VP"};

const JsonlOptions kKnownNames{.words = &kWords, .class_names = &kTags};

TEST(JsonLines, ReadsNamesOfWordsAndLabels) {
  const GraphSet graphs =
      parse_jsonl(R"({"children":[[],[0],[1],[2]],"pull":{"word":["the",null,"cat",-1]},"label":[null,"VP",-1,"NP"]})",
                  "g", {.words = &kWords, .class_names = &kTags});
  EXPECT_EQ(graphs.schema().index_ports, (std::vector<std::string>{"word", "label"}));
  EXPECT_THAT(graphs.to_arrays().index_pulls, ElementsAre(ElementsAre(1, -1, 0, -1), ElementsAre(-1, 1, -1, 0)));
}

TEST(JsonLines, AcceptsNumbersIfNamesAreKnownAndNullForAnAbsentNumber) {
  const GraphSet graphs = parse_jsonl(R"({"children":[[],[]],"pull":{"word":[null,2]},"label":[1,null]})", "g",
                                      {.words = &kWords, .class_names = &kTags});
  EXPECT_THAT(graphs.to_arrays().index_pulls, ElementsAre(ElementsAre(-1, 2), ElementsAre(1, -1)));
}

TEST(JsonLines, ReadsTextAtIndexPortsWithAVocabulary) {
  const PortWords ports{{"kind", Vocabulary({"<unk>", "big", "word"})}};
  const std::string line = R"({"children":[[],[],[]],"pull":{"kind":["word",null,"bigger"],"word":["the",null,null]}})";
  EXPECT_THAT(parse_jsonl(line, "g", {.words = &kWords, .port_words = &ports}).to_arrays().index_pulls,
              ElementsAre(ElementsAre(1, -1, -1), ElementsAre(-1, -1, -1), ElementsAre(2, -1, 0)));
  EXPECT_THAT(parse_jsonl(R"({"children":[[]],"pull":{"kind":[2]}})", "g", {.port_words = &ports}).index_pulls(1),
              ElementsAre(2));
}

TEST(JsonLines, RefusesNumbersBesideNames) {
  expect_refused_lines({{R"({"children":[[],[]],"pull":{"word":["the",3]}})",
                         "1: 'word' has numbers and names; expected one or the other, found 3 at vertex 1"},
                        {R"({"children":[[],[]],"label":[3,"NP"]})",
                         "1: 'label' has numbers and names; expected one or the other, found \"NP\" at vertex 1"},
                        {"{\"children\":[[]],\"label\":[\"NP\"]}\n\n{\"children\":[[]],\"label\":[1]}",
                         "3: 'label' has numbers, but line 1 has names; expected one or the other"}},
                       kKnownNames);
}

TEST(JsonLines, RefusesNamesWithoutAVocabulary) {
  expect_refused_lines(
      {{R"({"children":[[]],"label":["PN"]})",
        "1: the model does not know the label 'PN'; did you mean 'NP'? known: NP, VP"},
       {R"({"children":[[]],"pull":{"kind":["big"]}})",
        "1: port 'kind' has the name 'big', but only numbers are known there; expected numbers from 0"}},
      kKnownNames);
  expect_refused_lines(
      {{R"({"children":[[]],"label":["NP"]})",
        "1: the label 'NP' is a name, but the classes of the model have no names; expected numbers from 0"},
       {R"({"children":[[]],"pull":{"word":["the"]}})",
        "1: the word 'the' is text, but the model has no vocabulary; expected numbers from 0"}});
}

TEST(JsonLines, ReportsUnknownAndDuplicateKeysAndWrongLengths) {
  expect_refused_lines(
      {{R"({"child":[[]]})",
        "unknown key 'child'; did you mean 'children'? known: children, edges, graphs, label, pull, top, types"},
       {R"({"label":[0],"label":[0]})", "duplicate key 'label'"},
       {R"({"pull":{"x":[0],"x":[0]}})", "pull has two ports 'x'"},
       {R"({"pull":{"label":[0]}})", "'label' is inside pull; expected it beside \"pull\" as \"label\":[...]"},
       {R"({"children":[[]],"types":["a","b"]})", "'types' has 2 entries; expected 1, one per vertex"},
       {R"({"children":[[]],"label":[]})", "'label' has 0 entries; expected 1, one per vertex"},
       {R"({"children":[[]],"pull":{"x":[1,2]}})", "port 'x' has 2 entries; expected 1, one per vertex"}},
      {}, "g.jsonl:1: ");
}

TEST(JsonLines, ReportsInconsistentLines) {
  const auto two = [](const std::string& first, const std::string& second) {
    return "{\"children\":[[]]" + first + "}\n{\"children\":[[]]" + second + "}\n";
  };
  expect_refused_lines(
      {{two(R"(,"pull":{"x":[1]})", ""), "pull has no port 'x'; expected it in every line"},
       {two("", R"(,"pull":{"x":[1]})"), "unknown port 'x'; known: label"},
       {two(R"(,"pull":{"word":[1]})", R"(,"pull":{"wrod":[1]})"),
        "unknown port 'wrod'; did you mean 'word'? known: label, word"},
       {two(R"(,"pull":{"size":[[1]],"word":[1]})", R"(,"pull":{"sizes":[null],"word":[1]})"),
        "unknown port 'sizes'; did you mean 'size'? known: label, size, word"},
       {two(R"(,"pull":{"x":[1]})", R"(,"pull":{"x":[[1]]})"),
        "port 'x' has no integers; expected one index per vertex"},
       {two(R"(,"pull":{"x":[[1]]})", R"(,"pull":{"x":[1]})"), "port 'x' has integers; expected arrays of 1 numbers"},
       {two(R"(,"pull":{"x":[[1]]})", R"(,"pull":{"x":[[1,2]]})"), "port 'x' has rows of 2 numbers; expected 1"},
       {two(R"(,"types":["a"])", ""), "key 'types' is missing; expected a type for every vertex; known: a"},
       {two("", R"(,"types":["a"])"),
        "found key 'types', but earlier lines have none; expected it in all lines or in none"}},
      {}, "g.jsonl:2: ");
}

TEST(JsonLines, ReportsLinesThatDoNotFitAGivenSchema) {
  const GraphSchema schema = tree_schema();
  expect_refused_lines({{R"({"types":["leef"],"children":[[]],"pull":{"word":[1]}})",
                         "1: vertex 0 has the unknown type 'leef'; did you mean 'leaf'? known: inner, leaf"},
                        {R"({"types":["leaf"],"children":[[]],"pull":{"word":[1],"wrod":[1]}})",
                         "1: unknown port 'wrod'; did you mean 'word'? known: label, word"},
                        {R"({"children":[[]],"pull":{"word":[1]}})",
                         "1: key 'types' is missing; expected a type for every vertex; known: inner, leaf"}},
                       {.schema = &schema});
}

/// `count` ports in ascending or descending order. Every third port has numbers.
std::string many_ports(int count, bool reverse) {
  std::string text = "{\"children\":[[]],\"pull\":{";
  for (int i = 0; i < count; ++i) {
    const int port = reverse ? count - 1 - i : i;
    text += fmt::format("{}\"p{}\":[{}]", i == 0 ? "" : ",", port, port % 3 == 0 ? "[0.5]" : std::to_string(port));
  }
  return text + "}}\n";
}

TEST(JsonLines, ComparingManyPortsTakesLinearTime) {
  constexpr int kPorts = 20'000;
  const std::string text = many_ports(kPorts, false) + many_ports(kPorts, true);
  const std::int64_t before = comparisons();
  const GraphSet graphs = parse_jsonl(text, "g");
  // Each name is sorted or looked up a few times, with at most log2(20,000) = 15 comparisons. A linear search would
  // need 10,000 per name.
  if (!kSanitized) {
    EXPECT_GT(comparisons() - before, kPorts) << "comparisons of names are counted";
    EXPECT_LT(comparisons() - before, 200 * kPorts);
  }
  ASSERT_EQ(graphs.size(), 2);
  EXPECT_EQ(graphs.schema().index_ports.size() + graphs.schema().float_ports.size(), kPorts + 1U);
  for (std::size_t p = 1; p < graphs.schema().index_ports.size(); ++p) {
    const std::int32_t number = std::stoi(graphs.schema().index_ports[p].substr(1));
    ASSERT_THAT(graphs.index_pulls(p), ElementsAre(number, number));
  }
  EXPECT_THAT(graphs.to_arrays().float_pulls.back(), ElementsAre(0.5F, 0.5F));
}

TEST(JsonLines, StopsAtTheFirstBracketThatIsTooDeep) {
  for (const char* open : {"[", "{\"pull\":", "{\"children\":["}) {
    std::string text;
    while (text.size() < 5'000'000) text += open;
    EXPECT_THAT(error_of([&] { parse_jsonl(text, "g.jsonl"); }), testing::StartsWith("g.jsonl:1: in ")) << open;
  }
}

}  // namespace
}  // namespace cavs
