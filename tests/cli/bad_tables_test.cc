// Mistakes in tables, and in data whose words and labels are text (bad_input_test.cc runs them).
#include "bad_input.h"

namespace cavs::testing {
namespace {

/// A checkpoint of a model whose classes have names: NP and VP.
void train_names(const Workplace& place) {
  if (!place.read("names.cavs").empty()) return;
  place.write("names.txt", "(VP (NP dogs) (VP bark))\n");
  place.run("train tree-lstm --data trees:names.txt --hidden 4 --embedding 4 --epochs 1 --save names.cavs");
}

}  // namespace

Section bad_tables(const Workplace& place) {
  Section section{"Tables, and words and labels as text", {}};
  const auto run = [&](const char* what, const char* says, const std::string& arguments, int code) {
    section.cases.push_back({what, says, "cavs " + arguments, code, [=, &place] { return place.run(arguments); }});
  };
  const auto table = [&](const char* what, const char* says, const std::string& text, const std::string& columns) {
    section.cases.push_back({what, says, columns + "\n" + text, 1, [=, &place] {
                               place.write("t.csv", text);
                               return place.run("train tree-lstm --hidden 4 --epochs 1 --data table:t.csv," + columns);
                             }});
  };
  const auto lines = [&](const char* what, const char* says, const std::string& text) {
    section.cases.push_back({what, says, text, 1, [=, &place] {
                               place.write("n.jsonl", text + "\n");
                               return place.run("train tree-lstm --hidden 4 --epochs 1 --data jsonl:n.jsonl");
                             }});
  };
  const auto sample = [&](const char* what, const char* says, const std::string& text) {
    section.cases.push_back({what, says, text, 1, [=, &place] {
                               train_names(place);
                               return place.run("predict names.cavs", text + "\n");
                             }});
  };
  run("no data to look at", "SPEC is required", "data", 2);
  run("data of no kind to look at", "data 'listop': unknown kind 'listop'; did you mean 'listops'? known: <...>",
      "data listop", 1);
  run("no column of text",
      "data 'table': expected either text=COLUMN or tree=COLUMN, as in table:FILE,text=COLUMN,label=COLUMN",
      "data table:t.csv,label=y", 1);
  run("neither label nor score", "data 'table': expected either label=COLUMN or score=COLUMN",
      "data table:t.csv,text=x", 1);
  run("unknown option of a table",
      "data 'table:t.csv,text=x,lable=y': unknown option 'lable'; did you mean 'label'? known: <...>",
      "data table:t.csv,text=x,lable=y", 1);
  table("unknown column", "t.csv:1: no column 'txet'; did you mean 'text'? known: label, text", "text,label\na,1",
        "text=txet,label=label");
  table("column by number, but there are fewer",
        "t.csv: no column '3'; expected a number from 1 to 2 (there are no names: header=no)", "a,1",
        "text=3,label=2,header=no");
  table("two columns of one name", "t.csv:1: two columns are named 'a'; give its number, from 1", "a,a\nb,1",
        "text=a,label=2");
  table("quote that is not closed",
        R"(t.csv:2: the quote that begins here is not closed; expected '"', found the end of the text)",
        "text,label\n\"a,1", "text=text,label=label");
  table(
      "quote inside of a field",
      R"(t.csv:2: a quote inside of the field 'a "b" c,1'; expected the whole field in quotes, and the quote doubled)",
      "text,label\na \"b\" c,1", "text=text,label=label");
  table("text behind a quoted field", "t.csv:2: expected ',' or the end of the line after a quoted field, found ' b,1'",
        "text,label\n\"a\" b,1", "text=text,label=label");
  table("row of another length", "t.csv:2: the row has 3 fields; expected 2, as in the first row", "text,label\na,b,1",
        "text=text,label=label");
  table("names of columns alone", "t.csv: no row below the names of the columns; expected a sample a row", "text,label",
        "text=text,label=label");
  table("row without a word", "t.csv:2: column 'text' has no word in this row; expected a text", "text,label\n ,1",
        "text=text,label=label");
  table("score that is no number", "t.csv:2: the score is 'high'; expected a number, or nothing where there is none",
        "text,score\na,high", "text=text,score=score");
  table("scores of single texts",
        "data 'table:t.csv,text=a,score=score' have no labels to learn, but scores, which 'cavs train' learns of pairs "
        "(pair=COLUMN); expected at least one vertex with a label",
        "a,score\nx,3", "text=a,score=score");
  table("score of a pair out of range", "t.csv:2: the score of a pair is '7'; expected a number 1 to 5",
        "a,b,score\nx,y,7", "text=a,pair=b,score=score");
  lines("numbers beside names",
        "n.jsonl:1: 'word' has numbers and names; expected one or the other, found 7 at vertex 1",
        R"({"children":[[],[0]],"pull":{"word":["dogs",7]}})");
  lines("labels as names, then as numbers",
        "n.jsonl:2: 'label' has numbers, but line 1 has names; expected one or the other",
        "{\"children\":[[]],\"label\":[\"NP\"]}\n{\"children\":[[]],\"label\":[1]}");
  lines("name that is empty",
        "n.jsonl:1: in port 'word' expected an array of integers from 0, of names or of arrays of numbers, or null "
        "where one is absent, one a vertex; found \"\"",
        R"({"children":[[]],"pull":{"word":[""]}})");
  lines(
      "name in place of a row of numbers",
      R"(n.jsonl:1: in port 'size' expected arrays of numbers, or null where one is absent, one a vertex; found "big")",
      R"({"children":[[],[0]],"pull":{"size":[[1.5],"big"]}})");
  lines("text at a port, then numbers",
        "n.jsonl:2: 'kind' has numbers, but line 1 has names; expected one or the other",
        "{\"children\":[[]],\"pull\":{\"kind\":[\"x\"]}}\n{\"children\":[[]],\"pull\":{\"kind\":[1]}}");
  lines("several graphs, but none", "n.jsonl:1: 'graphs' is empty; expected at least one graph", R"({"graphs":[]})");
  lines("graphs of several graphs", "n.jsonl:1: unknown key 'graphs'; known: children, edges, label, pull, types",
        R"({"graphs":[{"graphs":[{"children":[[]]}]}]})");
  lines("child in another graph of the sample",
        "n.jsonl:1: a graph has the child 1; expected one of its own vertices, 0 to 0",
        R"({"graphs":[{"children":[[]]},{"children":[[1]]}],"top":{"label":[1]}})");
  lines("top with children", "n.jsonl:1: 'top' has the key 'children'; its children are the roots of the graphs",
        R"({"graphs":[{"children":[[]]}],"top":{"children":[[0]]}})");
  sample("label of a tree that the model does not know",
         "stdin:1: the model does not know the label 'PN' of this tree; did you mean 'NP'? known: NP, VP", "(PN dogs)");
  sample("label of a line that the model does not know",
         "stdin:1: the model does not know the label 'PN'; did you mean 'NP'? known: NP, VP",
         R"({"types":["leaf"],"children":[[]],"pull":{"word":["dogs"]},"label":["PN"]})");
  return section;
}

}  // namespace cavs::testing
