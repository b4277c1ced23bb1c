// Every mistake gets a message that says what was found, what was expected, where, and what to do. docs/bad-input.md
// shows them all; this test makes it, and fails where it says anything else. To renew it:
//   CAVS_RENEW_DOCS=1 build/ci/bin/cli_test --gtest_filter='BadInput.*'
#include "bad_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "cavs/checkpoint.h"
#include "cavs/error.h"
#include "cavs/model.h"
#include "cavs/optimizer.h"
#include "cavs/session.h"
#include "cavs/trained_model.h"

namespace cavs::testing {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

fs::path document() { return fs::path(__FILE__).parent_path().parent_path().parent_path() / "docs" / "bad-input.md"; }

std::string escaped(std::string text) {
  for (auto at = text.find('|'); at != text.npos; at = text.find('|', at + 2)) text.insert(at, 1, '\\');
  return text;
}

/// Every line as code.
std::string cell(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string quote = line.find('`') == line.npos ? "`" : "``";
    out += (out.empty() ? "" : "<br>") + quote + escaped(line) + quote;
  }
  return out;
}

const char* ending(int code) { return code == kUserError ? "UserError" : code == 2 ? "exit 2" : "exit 1"; }

TEST(BadInput, GetsTheMessageThatTheDocumentShows) {
  const Workplace place;
  std::string text =
      "# Bad input\n\nWhat is wrong, and what it gets. The command ends with exit code 1 where a run fails and 2 where "
      "the command\nline is wrong; the library throws `cavs::UserError`. A test makes this page "
      "(`tests/cli/bad_input_test.cc`).\n";
  const std::regex hash("[0-9a-f]{16}(?=, but)|[0-9a-f]{16}(?= was stored)");  // another processor, other bits
  std::size_t count = 0;
  for (const Section& section :
       {wrong_options(place), bad_config(place), bad_data(place), bad_tables(place), bad_samples(place),
        bad_raw_samples(place), bad_checkpoints(place), bad_training(place), bad_devices(place), bad_declarations()}) {
    text += "\n## " + section.title + "\n\n| mistake | given | ends with | message |\n| --- | --- | --- | --- |\n";
    for (const BadInput& bad : section.cases) {
      SCOPED_TRACE(bad.what);
      Outcome outcome = bad.make();
      outcome.message = std::regex_replace(outcome.message, hash, "<hash>");
      EXPECT_EQ(outcome.code, bad.code) << outcome.message;
      EXPECT_NE(outcome.message, "");
      text +=
          "| " + bad.what + " | " + cell(bad.shown) + " | " + ending(bad.code) + " | " + cell(outcome.message) + " |\n";
      ++count;
    }
  }
  EXPECT_GE(count, 25U);
  if (std::getenv("CAVS_RENEW_DOCS") != nullptr) std::ofstream(document(), std::ios::binary) << text;
  EXPECT_EQ(read_file(document()), text) << "docs/bad-input.md is out of date; renew it as the test's first lines say";
}

}  // namespace

Workplace::Workplace() {
  std::string pattern = (fs::temp_directory_path() / "cavs-bad-input-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
}

Workplace::~Workplace() { fs::remove_all(folder_); }

void Workplace::write(const std::string& name, const std::string& bytes) const {
  fs::create_directories((fs::path(folder_) / name).parent_path());
  std::ofstream(fs::path(folder_) / name, std::ios::binary) << bytes;
}

std::string Workplace::path(const std::string& name) const { return (fs::path(folder_) / name).string(); }

std::string Workplace::read(const std::string& name) const { return read_file(fs::path(folder_) / name); }

Outcome Workplace::run(const std::string& arguments, const std::string& input) const {
  write("input", input);
  const std::string command = "cd '" + folder_ + "' && '" CAVS_COMMAND "' " + arguments + " <input >output 2>messages";
  const int status = std::system(command.c_str());
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -2, ""};
  // The log of what went well comes first; the error is the last message and may have several lines.
  std::string text = read("messages");
  for (const std::string start : {"cavs: error: ", "cavs: "})
    if (const auto at = text.rfind(start); at != text.npos && outcome.message.empty())
      outcome.message = text.substr(at + start.size());
  if (const auto at = outcome.message.rfind("\nrun 'cavs"); at != std::string::npos) outcome.message.resize(at);
  while (outcome.message.ends_with('\n')) outcome.message.pop_back();
  return outcome;
}

Section wrong_options(const Workplace& place) {
  Section section{"Options", {}};
  const auto add = [&](const char* what, const std::string& arguments, int code) {
    section.cases.push_back({what, ("cavs " + arguments).substr(0, ("cavs " + arguments).find_last_not_of(' ') + 1),
                             code, [=, &place] { return place.run(arguments); }});
  };
  add("no command", "", 2);
  add("unknown command", "trian tree-lstm", 2);
  add("no model", "train", 2);
  add("unknown model", "train tree-lsmt", 2);
  add("one argument too many", "train tree-lstm tree-fc", 2);
  add("unknown option", "train tree-lstm --hiden 32", 2);
  add("one hyphen for two", "train tree-lstm -hidden 8", 2);
  add("unknown short option", "train tree-lstm -x", 2);
  add("option without value", "train tree-lstm --hidden", 2);
  add("no number", "train tree-lstm --hidden many", 2);
  add("number out of range", "train tree-lstm --hidden 0", 2);
  add("leading zero", "train tree-lstm --batch-size 08", 2);
  add("negative number", "train tree-lstm --lr -1", 2);
  add("not finite", "train tree-lstm --lr nan", 2);
  add("a decay that stops everything", "train tree-lstm --decay-rate 0", 2);
  add("more than all", "train tree-lstm --decay-floor 1.5", 2);
  add("a name that is empty", "train tree-lstm --save ''", 2);
  add("data that are empty", "train tree-lstm --data ''", 2);
  section.cases.push_back({"data whose name is not UTF-8", "cavs train tree-lstm --data trees:caf\\xE9", 2,
                           [&place] { return place.run("train tree-lstm --data trees:caf\xE9"); }});
  add("a device to save to", "train tree-lstm --save /dev/null", 1);
  add("unknown optimiser", "train tree-lstm --optimizer adm", 2);
  add("unknown decay", "train tree-lstm --decay cosin", 2);
  add("unknown policy", "train tree-lstm --policy frontear", 2);
  add("no such policy", "schedule tree-fc --policy fsm:missing.json", 1);
  section.cases.push_back({"a policy that is none", "just text", 1, [&place] {
                             place.write("text.json", "just text\n");
                             return place.run("schedule tree-fc --policy fsm:text.json");
                           }});
  add("policy to nowhere", "learn-policy tree-fc", 2);
  add("unknown encoding", "learn-policy tree-fc -o p.json --encoding sorted", 2);
  add("unknown engine", "eval any.cavs --engine gpu", 2);
  add("no threads", "bench tree-fc --threads 0", 2);
  add("a preset for another model", "bench var-lstm --preset ed-batch", 1);
  add("matrices that are too large", "inspect mv-rnn --hidden 20000", 1);
  add("two measurements", "bench tree-fc --ablate --roofline", 2);
  add("sizes of nothing", "bench tree-fc --sizes 64,128", 2);
  add("unknown pass", "inspect tree-lstm --disable fusee", 2);
  add("no size", "train tree-lstm --memory-limit lots", 2);
  add("saving, but nowhere", "train tree-lstm --save-every 5", 2);
  add("other development data, but of nothing", "train tree-lstm --new-dev", 2);
  add("two outputs in one file", "train tree-lstm --save q --curve ./q", 1);
  section.cases.push_back(
      {"an output that is an input", "cavs train tree-lstm --data trees:t.txt --save t.txt", 1, [&place] {
         place.write("t.txt", "(1 (0 a) (1 b))\n");
         return place.run("train tree-lstm --data trees:t.txt --save t.txt --overwrite");
       }});
  add("an output that is there already", "train tree-lstm --save t.txt", 1);
  add("a curve that is there already", "train tree-lstm --curve t.txt", 1);
  add("unknown operator", "ops tanhh", 2);
  add("unknown shell", "completion csh", 2);
  add("options that exclude each other", "inspect tree-lstm --dot --passes", 2);
  add("no checkpoint", "predict", 2);
  add("unknown form of input", "predict any.cavs --input conl", 2);
  add("unknown format", "predict any.cavs --format json", 2);
  add("option of another optimiser", "train tree-lstm --optimizer adam --momentum 0.9", 1);
  add("folder does not exist", "train tree-lstm --save missing/a.cavs", 1);
  add("more memory than allowed", "train tree-fc --memory-limit 1MB", 1);
  add("loss that is not finite",
      "train tree-fc --data binary-trees:leaves=2,samples=4 --batch-size 1 --epochs 9 "
      "--hidden 4 --embedding 4 --threads 1 --optimizer sgd --lr 1e38",
      1);
  return section;
}

Section bad_data(const Workplace& place) {
  Section section{"Data sets", {}};
  const auto add = [&](const char* what, const std::string& arguments, int code = 1) {
    section.cases.push_back(
        {what, "cavs " + arguments, code, [=, &place] { return place.run(arguments + " --hidden 4 --epochs 1"); }});
  };
  const auto file = [&](const char* what, const std::string& kind, const std::string& name, const std::string& bytes,
                        const std::string& shown) {
    section.cases.push_back({what, shown, 1, [=, &place] {
                               place.write(name, bytes);
                               return place.run("train tree-lstm --hidden 4 --epochs 1 --data " + kind + ":" + name);
                             }});
  };
  add("unknown kind", "train tree-lstm --data listop");
  add("unknown key", "train tree-lstm --data listops:lenght=9");
  add("value is no number", "train tree-lstm --data listops:length=long");
  add("value out of range", "train tree-lstm --data binary-trees:leaves=0");
  add("no folder", "train tree-lstm --data sst:missing");
  add("no file", "train tree-lstm --data trees:missing.txt");
  add("a file in no folder", "train tree-lstm --data trees:missing/a.txt");
  section.cases.push_back({"a slip in a file's name", "cavs train tree-lstm --data trees:tress.txt", 1, [&place] {
                             place.write("trees.txt", "(1 (0 a) (1 b))\n");
                             return place.run("train tree-lstm --data trees:tress.txt");
                           }});
  add("a folder as file", "train tree-lstm --data trees:.");
  add("too many children for the model", "train tree-lstm-binary --data listops:train=9");
  file("empty file", "trees", "empty.txt", "", "");
  file("unclosed bracket", "trees", "open.txt", "(1 (0 a) (1 b))\n(1 (0 a) (1 b)\n", "(1 (0 a) (1 b)");
  file("bracket that was never opened", "trees", "close.txt", "(1 (0 a) (1 b)))\n", "(1 (0 a) (1 b)))");
  file("invalid UTF-8", "trees", "latin.txt", "(1 (0 caf\xE9) (1 b))\n", "(1 (0 caf\\xE9) (1 b))");
  file("gzip cut off", "trees", "cut.txt.gz", std::string("\x1F\x8B\x08\x00\x00\x00\x00\x00\x00\x03K", 11),
       "\\x1F\\x8B\\x08...");
  file("no labels at all", "trees", "plain.txt", "((a) (b))\n", "((a) (b))");
  section.cases.push_back({"label that is none of the classes", "(7 (0 a) (1 b)) in sst:folder", 1, [&place] {
                             place.write("folder/train.txt", "(7 (0 a) (1 b))\n");
                             place.write("folder/dev.txt", "(1 (0 a) (1 b))\n");
                             return place.run("train tree-lstm --data sst:folder");
                           }});
  const auto prose = [&](const char* what, const std::string& name, const std::string& bytes, const std::string& shown,
                         const std::string& options = "") {
    section.cases.push_back({what, shown, 1, [=, &place] {
                               place.write(name, bytes);
                               return place.run("train var-lstm --hidden 4 --epochs 1 --data text:" + name + options);
                             }});
  };
  add("no text", "train var-lstm --data text:missing.txt");
  add("chains of no words", "train fixed-lstm --data text:missing.txt,steps=0");
  add("a vocabulary of <unk> alone", "train var-lstm --vocabulary 1", 2);
  add("unknown option behind a file", "train var-lstm --data text:a.txt,step=64");
  prose("text without words", "blank.txt", "\n  \n", " ");
  prose("text that is not UTF-8", "latin1.txt", "a\ncaf\xE9\n", "caf\\xE9");
  prose("chains that are longer than the text", "short.txt", "a b c\n", "a b c", ",steps=64");
  const auto tagged = [&](const char* what, const std::string& name, const std::string& bytes) {
    section.cases.push_back({what, bytes, 1, [=, &place] {
                               place.write(name, bytes);
                               return place.run("train bilstm-tagger --hidden 4 --epochs 1 --data conll:" + name);
                             }});
  };
  tagged("token without a tag", "untagged.txt", "John I-PER\nsleeps");
  tagged("tag that is none", "odd.txt", "John PER");
  tagged("no sentence", "none.txt", "-DOCSTART- O");
  add("graphs that a model cannot make its own of", "train tree-gru --data tags:train=9");
  add("graphs without the vertices of a network", "train bilstm-tagger --data listops:train=9");
  add("no lattices in a folder", "train lattice-lstm --data weibo:.");
  add("unknown way to write tags", "train bilstm-tagger --data conll:odd.txt,tags=bio");
  const std::string root = "1\tgo\t_\tVERB\t_\t_\t0\troot\t_\t_\n", second = "2" + root.substr(1);
  file("spaces for tabs", "conllu", "a.conllu", "1 go _ VERB _ _ 0 root _ _\n", "1 go _ VERB _ _ 0 root _ _");
  file("tree with two roots", "conllu", "a.conllu", root + second, "two words with head 0");
  add("no pairs in a folder", "train tree-lstm-relatedness --data sick:.");
  add("stream of a generator", "train gru --data markov --stream 100");
  prose("stream into buckets", "short.txt", "a b c\n", "a b c", " --stream 100 --bucket 10");
  add("one file of two", "train lstm-nmt --data parallel:a.en");
  add("names with plus signs, of files that are not there", "train lstm-nmt --data parallel:c++/a.en+c++/a.de");
  section.cases.push_back({"line without a translation", "two lines, and one", 1, [&place] {
                             place.write("two.en", "a\nb\n"), place.write("one.de", "c\n");
                             return place.run("train lstm-nmt --data parallel:two.en+one.de");
                           }});
  const auto line = [&](const char* what, const std::string& text) {
    file(what, "jsonl", "a.jsonl", text + "\n", text);
  };
  line("no JSON", R"({"children": [[],)");
  line("cycle", R"({"children":[[1],[0]],"label":[0,1]})");
  line("child that does not exist", R"({"children":[[],[7]],"label":[0,1]})");
  line("key twice", R"({"children":[[]],"children":[[]]})");
  line("unknown key", R"({"children":[[]],"labels":[1]})");
  line("array of another length", R"({"children":[[],[0]],"label":[1]})");
  line("port that the model needs is missing", R"({"children":[[],[0]],"label":[0,1]})");
  file("port misspelt in the second line", "jsonl", "a.jsonl",
       "{\"children\":[[]],\"pull\":{\"word\":[1]}}\n{\"children\":[[]],\"pull\":{\"wrod\":[1]}}\n",
       R"("pull":{"word":[1]}, then "pull":{"wrod":[1]})");
  line("port of edges that is no list of lists", R"({"children":[[],[0]],"edges":{"order":[1,2]}})");
  line("port of edges without an array for a vertex", R"({"children":[[],[0]],"edges":{"order":[[]]}})");
  line("edge without an entry", R"({"children":[[],[0,0]],"edges":{"order":[[],[1]]}})");
  line("entry without an edge", R"({"children":[[],[0]],"edges":{"order":[[2],[1]]}})");
  line("entry of an absent child", R"({"children":[[],[-1,0]],"edges":{"order":[[],[3,1]]}})");
  line("rows of edges of several lengths", R"({"children":[[],[0,0]],"edges":{"bond":[[],[[1,2],[3]]]}})");
  line("names and numbers of edges", R"({"children":[[],[0,0]],"edges":{"order":[[],["double",1]]}})");
  line("fraction as an index of an edge", R"({"children":[[],[0]],"edges":{"order":[[],[0.5]]}})");
  line("one port of vertices and of edges", R"({"children":[[]],"pull":{"size":[1]},"edges":{"size":[[]]}})");
  line("label among the ports of edges", R"({"children":[[],[0]],"edges":{"label":[[],[1]]}})");
  file("port of edges missing in the second line", "jsonl", "a.jsonl",
       "{\"children\":[[],[0]],\"edges\":{\"order\":[[],[1]]}}\n{\"children\":[[]]}\n",
       R"("edges":{"order":[[],[1]]}, then none)");
  line("port of edges without any entry", R"({"children":[[]],"edges":{"order":[[]]}})");
  return section;
}

Section bad_samples(const Workplace& place) {
  Section section{"Samples for prediction", {}};
  const auto add = [&](const char* what, const std::string& text) {
    section.cases.push_back({what, text, 1, [=, &place] {
                               train_once(place);
                               return place.run("predict a.cavs", text + "\n");
                             }});
  };
  add("neither tree, expression nor JSON", "MAX 1 2");
  add("unclosed expression", "[MAX 1 [MIN 2 3 ]");
  add("unknown operator", "[MAXX 1 2 ]");
  add("operator without arguments", "[MAX ]");
  add("label that the model does not know", "(12 (1 a) (2 b))");
  add("word that the table does not have", R"({"types":["leaf"],"children":[[]],"pull":{"word":[99]}})");
  add("type that the model does not know", R"({"types":["lef"],"children":[[]],"pull":{"word":[1]}})");
  section.cases.push_back(
      {"prompt for a model that was not trained on text", "cavs predict a.cavs --words 5", 1, [&place] {
         train_once(place);
         return place.run("predict a.cavs --words 5", "to be or\n");
       }});
  // What a small model answers that is trained when it is asked first.
  const auto model_of = [&](const std::string& file, const std::string& training) {
    return [&, file, training](const char* what, const std::string& shown, const std::string& options,
                               const std::string& text) {
      section.cases.push_back({what, shown, 1, [=, &place] {
                                 if (place.read(file).empty())
                                   place.run("train " + training + ":train=4,test=0,vocabulary=9 --hidden 4 " +
                                             "--embedding 4 --epochs 1 --save " + file);
                                 return place.run("predict " + file + options, text);
                               }});
    };
  };
  const auto prompt = model_of("lm.cavs", "var-lstm --data markov");
  prompt("drawing a continuation", "cavs predict lm.cavs --tree", " --tree", "w2\n");
  prompt("prompt that is not UTF-8", "caf\\xE9", "", "w2\ncaf\xE9\n");
  prompt("a beam for a model that does not translate", "cavs predict lm.cavs --beam 5", " --beam 5", "w2\n");
  const auto sentence = model_of("nmt.cavs", "lstm-nmt --data translations");
  sentence("sentence that is not UTF-8", "caf\\xE9", "", "w7\ncaf\xE9\n");
  sentence("more translations than the beam holds", "cavs predict nmt.cavs --beam 2 --n-best 3", " --beam 2 --n-best 3",
           "w7\n");
  sentence("drawing a translation", "cavs predict nmt.cavs --tree", " --tree", "w7\n");
  sentence("pairs that are none", "cavs predict nmt.cavs --data binary-trees:leaves=2", " --data binary-trees:leaves=2",
           "");
  sentence("tags of a translation", "cavs predict nmt.cavs --spans", " --spans", "w7\n");
  return section;
}

}  // namespace cavs::testing
