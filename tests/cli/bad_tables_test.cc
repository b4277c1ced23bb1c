// Mistakes in tables, and in data whose words and labels are text: a part of docs/bad-input.md.
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
  const auto run = [&](const char* what, const std::string& arguments, int code) {
    section.cases.push_back({what, "cavs " + arguments, code, [=, &place] { return place.run(arguments); }});
  };
  const auto table = [&](const char* what, const std::string& text, const std::string& columns) {
    section.cases.push_back({what, columns + "\n" + text, 1, [=, &place] {
                               place.write("t.csv", text);
                               return place.run("train tree-lstm --hidden 4 --epochs 1 --data table:t.csv," + columns);
                             }});
  };
  const auto lines = [&](const char* what, const std::string& text) {
    section.cases.push_back({what, text, 1, [=, &place] {
                               place.write("n.jsonl", text + "\n");
                               return place.run("train tree-lstm --hidden 4 --epochs 1 --data jsonl:n.jsonl");
                             }});
  };
  const auto sample = [&](const char* what, const std::string& text) {
    section.cases.push_back({what, text, 1, [=, &place] {
                               train_names(place);
                               return place.run("predict names.cavs", text + "\n");
                             }});
  };
  run("no data to look at", "data", 2);
  run("data of no kind to look at", "data listop", 1);
  run("no column of text", "data table:t.csv,label=y", 1);
  run("neither label nor score", "data table:t.csv,text=x", 1);
  run("unknown option of a table", "data table:t.csv,text=x,lable=y", 1);
  table("unknown column", "text,label\na,1", "text=txet,label=label");
  table("column by number, but there are fewer", "a,1", "text=3,label=2,header=no");
  table("two columns of one name", "a,a\nb,1", "text=a,label=2");
  table("quote that is not closed", "text,label\n\"a,1", "text=text,label=label");
  table("quote inside of a field", "text,label\na \"b\" c,1", "text=text,label=label");
  table("text behind a quoted field", "text,label\n\"a\" b,1", "text=text,label=label");
  table("row of another length", "text,label\na,b,1", "text=text,label=label");
  table("names of columns alone", "text,label", "text=text,label=label");
  table("row without a word", "text,label\n ,1", "text=text,label=label");
  table("score that is no number", "text,score\na,high", "text=text,score=score");
  table("scores of single texts", "a,score\nx,3", "text=a,score=score");
  table("score of a pair out of range", "a,b,score\nx,y,7", "text=a,pair=b,score=score");
  lines("numbers beside names", R"({"children":[[],[0]],"pull":{"word":["dogs",7]}})");
  lines("labels as names, then as numbers",
        "{\"children\":[[]],\"label\":[\"NP\"]}\n{\"children\":[[]],\"label\":[1]}");
  lines("name that is empty", R"({"children":[[]],"pull":{"word":[""]}})");
  lines("name in place of a row of numbers", R"({"children":[[],[0]],"pull":{"size":[[1.5],"big"]}})");
  lines("text at a port, then numbers",
        "{\"children\":[[]],\"pull\":{\"kind\":[\"x\"]}}\n{\"children\":[[]],\"pull\":{\"kind\":[1]}}");
  lines("several graphs, but none", R"({"graphs":[]})");
  lines("graphs of several graphs", R"({"graphs":[{"graphs":[{"children":[[]]}]}]})");
  lines("child in another graph of the sample",
        R"({"graphs":[{"children":[[]]},{"children":[[1]]}],"top":{"label":[1]}})");
  lines("top with children", R"({"graphs":[{"children":[[]]}],"top":{"children":[[0]]}})");
  sample("label of a tree that the model does not know", "(PN dogs)");
  sample("label of a line that the model does not know",
         R"({"types":["leaf"],"children":[[]],"pull":{"word":["dogs"]},"label":["PN"]})");
  return section;
}

}  // namespace cavs::testing
