// Mistakes in a file of options, run by bad_input_test.cc.
#include "bad_input.h"

namespace cavs::testing {

Section bad_config(const Workplace& place) {
  Section section{"Files of options", {}};
  const auto add = [&](const char* what, const char* says, const std::string& arguments, int code) {
    section.cases.push_back({what, says, "cavs " + arguments, code, [=, &place] {
                               place.write("run.toml", "hidden = 8\n");
                               return place.run(arguments);
                             }});
  };
  const auto file = [&](const char* what, const char* says, const std::string& text, int code = 2) {
    section.cases.push_back({what, says, text, code, [=, &place] {
                               place.write("a.toml", text + "\n");
                               return place.run("train tree-lstm --config a.toml");
                             }});
  };
  add("no file of options",
      "rum.toml: cannot open the file: No such file or directory; expected a file of options (TOML); did you mean "
      "'run.toml'?",
      "train tree-lstm --config rum.toml", 1);
  add("a folder as file of options", ".: expected a file of options (TOML), found a directory; give a file in it",
      "train tree-lstm --config .", 1);
  add("a file of options that is replaced", "--save run.toml: this is the file that --config reads; give another name",
      "train tree-lstm --config run.toml --save run.toml --overwrite", 1);
  section.cases.push_back({"a binary file of options",
                           "b.toml:1: invalid TOML: Error while parsing root table: expected keys, tables, "
                           "whitespace or comments, saw '\\u007F'; expected a section such as [train], or an option "
                           "and its value, such as hidden = 64, data = \"listops\" or overwrite = true",
                           "\\x7FELF\\x02\\x00", 2, [&place] {
                             place.write("b.toml", std::string("\x7F"
                                                               "ELF\x02\x00",
                                                               6));
                             return place.run("train tree-lstm --config b.toml");
                           }});
  file("unknown key", "a.toml:2: 'cavs train' has no option 'batchsize'; did you mean 'batch-size'? known: <...>",
       "hidden = 8\nbatchsize = 16");
  file("key of another command",
       "a.toml:1: 'cavs train' has no option 'beam'; known: <...>; it belongs under [eval], [predict]", "beam = 5");
  file("key of one other command", "a.toml:1: 'cavs train' has no option 'ablate'; <...>; it belongs under [bench]",
       "ablate = true");
  file("key that no file may have", "a.toml:1: 'cavs train' has no option 'config'; known: <...>", "config = 'x'");
  file("key that is empty", "a.toml:1: 'cavs train' has no option ''; known: <...>", "\"\" = 3");
  file("key with hyphens", "a.toml:1: 'cavs train' has no option '--hidden'; <...>", "--hidden = 3");
  file("sections of one name", "a.toml:1: 'cavs train' has no option 'train'; <...>", "[[train]]\nhidden = 3");
  file("key of two parts", "a.toml:1: unknown section 'hidden'; <...>", "hidden.size = 3");
  file("section of an option", "a.toml:2: data: expected a number or non-empty text in quotes, found <...>",
       "[train]\n[train.data]\nhidden = 3");
  file("unknown section", "a.toml:1: unknown section 'trian'; did you mean 'train'? known: <...>",
       "[trian]\nhidden = 8");
  file("value out of range", "a.toml:1: --hidden: expected an integer from 1 to 65536, found '0'", "hidden = 0");
  file("value out of range, in another base", "a.toml:1: --hidden: expected an integer from 1 to 65536, found '131072'",
       "hidden = 0x20000");
  file("value that is not finite",
       "a.toml:2: --lr: expected a number from 0, or PATTERN=RATE or PATTERN=FACTORx, found 'inf'", "\nlr = inf");
  file("text that is empty", "a.toml:1: save: expected a number or non-empty text in quotes, found <...>",
       "save = \"\"");
  file("text with a NUL byte", "a.toml:1: save: expected a number or non-empty text in quotes, found \"a\\u0000b\"",
       R"(save = "a\u0000b")");
  file("value out of range, in the section of another command",
       "a.toml:2: --batch-size: expected an integer from 1 to 1000000, found '0'", "[eval]\nbatch-size = 0");
  file("unknown name",
       "a.toml:1: --optimizer: unknown optimizer 'adm'; did you mean 'adam'? known: adagrad, adam, adamw, sgd",
       "optimizer = \"adm\"");
  file("number for true or false", "a.toml:1: json: expected true or false, found 1", "json = 1");
  file("true for a number", "a.toml:1: hidden: expected a number or non-empty text in quotes, found true",
       "hidden = true");
  file("list for one value", "a.toml:1: optimizer: expected a number or non-empty text in quotes, found [ 'adam' ]",
       "optimizer = [\"adam\"]");
  file("list in a list, on its third line",
       "a.toml:3: disable: expected a number or non-empty text in quotes, found [ 'eager' ]",
       "disable = [\n  \"fuse\",\n  [\"eager\"],\n]");
  file("date", "a.toml:1: data: expected a number or non-empty text in quotes, found 1979-05-27", "data = 1979-05-27");
  file("key twice",
       "a.toml:2: invalid TOML: Error while parsing key-value pair: cannot redefine existing integer 'hidden'; "
       "expected a section such as [train], or an option and its value, such as hidden = 64, data = \"listops\" or "
       "overwrite = true",
       "hidden = 8\nhidden = 16");
  file("section twice",
       "a.toml:2: invalid TOML: Error while parsing table header: cannot redefine <...>; expected a section such as "
       "[train], or an option and its value, such as hidden = 64, data = \"listops\" or overwrite = true",
       "[train]\n[train]");
  return section;
}

}  // namespace cavs::testing
