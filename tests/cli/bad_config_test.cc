// Mistakes in a file of options: a section of docs/bad-input.md.
#include "bad_input.h"

namespace cavs::testing {

Section bad_config(const Workplace& place) {
  Section section{"Files of options", {}};
  const auto add = [&](const char* what, const std::string& arguments, int code) {
    section.cases.push_back({what, "cavs " + arguments, code, [=, &place] {
                               place.write("run.toml", "hidden = 8\n");
                               return place.run(arguments);
                             }});
  };
  const auto file = [&](const char* what, const std::string& text, int code = 2) {
    section.cases.push_back({what, text, code, [=, &place] {
                               place.write("a.toml", text + "\n");
                               return place.run("train tree-lstm --config a.toml");
                             }});
  };
  add("no file of options", "train tree-lstm --config rum.toml", 1);
  add("a folder as file of options", "train tree-lstm --config .", 1);
  add("a file of options that is replaced", "train tree-lstm --config run.toml --save run.toml --overwrite", 1);
  section.cases.push_back({"a binary file of options", "\\x7FELF\\x02\\x00", 2, [&place] {
                             place.write("b.toml", std::string("\x7F"
                                                               "ELF\x02\x00",
                                                               6));
                             return place.run("train tree-lstm --config b.toml");
                           }});
  file("unknown key", "hidden = 8\nbatchsize = 16");
  file("key of another command", "beam = 5");
  file("unknown section", "[trian]\nhidden = 8");
  file("value out of range", "hidden = 0");
  file("value out of range, in the section of another command", "[eval]\nbatch-size = 0");
  file("number in quotes", "hidden = \"8\"");
  file("text without quotes", "data = listops");
  file("number for text", "save = 8");
  file("number for true or false", "json = 1");
  file("list for one value", "optimizer = [\"adam\"]");
  file("unknown name", "optimizer = \"adm\"");
  file("key without value", "overwrite");
  file("date", "data = 1979-05-27");
  file("table in braces", "train = {hidden = 8}");
  file("list in a list, on its third line", "disable = [\n  \"fuse\",\n  [\"eager\"],\n]");
  file("key twice", "hidden = 8\nhidden = 16");
  file("a line that is no TOML", "hidden = 8 16");
  file("options that do not go together", "save-every = 5");
  return section;
}

}  // namespace cavs::testing
