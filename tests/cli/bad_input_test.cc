// Every mistake gets a message that says what was found, what was expected, where, and what to do. Each case has its
// expected message. The messages of this machine are written to docs/bad-input.md in the build folder.
#include "bad_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace cavs::testing {
namespace {

namespace fs = std::filesystem;

/// True if the message matches the expected one, where "<...>" matches any text, such as most names in a long list.
bool matches_message(std::string_view message, std::string_view says) {
  constexpr std::string_view kAny = "<...>";
  const auto any = says.find(kAny);
  if (any == says.npos) return message == says;
  if (!message.starts_with(says.substr(0, any))) return false;
  message.remove_prefix(any);
  says.remove_prefix(any + kAny.size());
  for (std::size_t at = 1; at <= message.size(); ++at)
    if (matches_message(message.substr(at), says)) return true;
  return false;
}

std::string escaped(std::string text) {
  for (auto at = text.find('|'); at != text.npos; at = text.find('|', at + 2)) text.insert(at, 1, '\\');
  return text;
}

/// Formats every line as code.
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

TEST(BadInput, GivesTheMessageOfItsCase) {
  const Workplace place;
  std::string text =
      "# Messages\n\nThis page lists mistakes and the messages that they get. The command ends with exit code 1 where "
      "a run fails and 2 where "
      "the command\nline is wrong; the library throws `cavs::UserError`.\n";
  const std::regex hash("[0-9a-f]{16}(?=, but)|[0-9a-f]{16}(?= was stored)");  // bits differ between processors
  for (const Section& section : {wrong_options(place), bad_config(place), bad_data(place), bad_samples(place),
                                 bad_checkpoints(place), bad_training(place), bad_devices(place), bad_declarations()}) {
    text += "\n## " + section.title + "\n\n| mistake | given | ends with | message |\n| --- | --- | --- | --- |\n";
    for (const BadInput& bad : section.cases) {
      SCOPED_TRACE(bad.what);
      Outcome outcome = bad.make();
      outcome.message = std::regex_replace(outcome.message, hash, "<hash>");
      EXPECT_EQ(outcome.code, bad.code) << outcome.message;
      EXPECT_TRUE(matches_message(outcome.message, bad.says)) << outcome.message << "\nexpected: " << bad.says;
      text +=
          "| " + bad.what + " | " + cell(bad.shown) + " | " + ending(bad.code) + " | " + cell(outcome.message) + " |\n";
    }
  }
  fs::create_directories(CAVS_DOCS_DIR);
  std::ofstream(fs::path(CAVS_DOCS_DIR) / "bad-input.md", std::ios::binary) << text;
}

TEST(BadInput, IsNotMatchedByAnotherMessage) {
  EXPECT_TRUE(matches_message("unknown 'a'; known: b, c; x", "unknown 'a'; known: <...>; x"));
  EXPECT_TRUE(matches_message("unknown 'a'; known: b", "unknown 'a'; known: <...>"));
  for (const char* message : {"", "unknown 'a'; known: ", "unknown 'b'; known: b; x", "unknown 'a'; known: b; y"})
    EXPECT_FALSE(matches_message(message, "unknown 'a'; known: <...>; x")) << message;
  EXPECT_FALSE(matches_message("unknown 'a'!", "unknown 'a'"));
}

}  // namespace

void Workplace::write(const std::string& name, const std::string& bytes) const {
  fs::create_directories(fs::path(path(name)).parent_path());
  written(path(name), bytes);
}

std::string Workplace::read(const std::string& name) const {
  std::ifstream file(path(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Outcome Workplace::run(const std::string& arguments, const std::string& input, const std::string& variables) const {
  write("input", input);
  const std::string command =
      "cd '" + path("") + "' && " + variables + " '" CAVS_COMMAND "' " + arguments + " <input >output 2>messages";
  const int status = std::system(command.c_str());
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -2, ""};
  // The log of successful work comes first. The error is the last message and may have several lines.
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
  const auto add = [&](const char* what, const char* says, const std::string& arguments, int code) {
    section.cases.push_back({what, says,
                             ("cavs " + arguments).substr(0, ("cavs " + arguments).find_last_not_of(' ') + 1), code,
                             [=, &place] { return place.run(arguments); }});
  };
  add("no command", "no command given; known: <...>", "", 2);
  add("unknown command", "unknown command 'trian'; did you mean 'train'? known: <...>", "trian tree-lstm", 2);
  add("no model", "MODEL is required", "train", 2);
  add("unknown model", "MODEL: unknown model 'tree-lsmt'; did you mean 'tree-lstm'? known: <...>", "train tree-lsmt",
      2);
  add("one argument too many", "The following argument was not expected: tree-fc", "train tree-lstm tree-fc", 2);
  add("unknown option", "unknown option '--hiden'; did you mean '--hidden'? known: <...>", "train tree-lstm --hiden 32",
      2);
  add("one hyphen for two", "unknown option '-hidden'; did you mean '--hidden'? known: <...>",
      "train tree-lstm -hidden 8", 2);
  add("one hyphen for two, and a value", "unknown option '-output'; did you mean '--output'? known: <...>",
      "learn-policy tree-fc -output=p", 2);
  add("unknown short option", "unknown option '-x'; known: <...>", "train tree-lstm -x", 2);
  add("option without value", "--hidden: expected a value after the option", "train tree-lstm --hidden", 2);
  add("no number", "--hidden: expected an integer from 1 to 65536, found 'many'", "train tree-lstm --hidden many", 2);
  add("number out of range", "--hidden: expected an integer from 1 to 65536, found '0'", "train tree-lstm --hidden 0",
      2);
  add("leading zero", "--batch-size: expected an integer without leading zeros, found '08'",
      "train tree-lstm --batch-size 08", 2);
  add("negative number", "--lr: expected a number from 0, or PATTERN=RATE or PATTERN=FACTORx, found '-1'",
      "train tree-lstm --lr -1", 2);
  add("negative number without a 0", "--lr: expected a number from 0, or PATTERN=RATE or PATTERN=FACTORx, found '-.5'",
      "train tree-lstm --lr -.5", 2);
  add("not finite", "--lr: expected a number from 0, or PATTERN=RATE or PATTERN=FACTORx, found 'nan'",
      "train tree-lstm --lr nan", 2);
  add("a decay that stops everything", "--decay-rate: expected a number above 0 to 1, found '0'",
      "train tree-lstm --decay-rate 0", 2);
  add("more than all", "--decay-floor: expected a number from 0 to 1, found '1.5'", "train tree-lstm --decay-floor 1.5",
      2);
  add("a name that is empty", "--save: expected the name of a file, found ''", "train tree-lstm --save ''", 2);
  add("an option in place of a file",
      "--save --quiet: expected the name of a file, found an option; write ./--quiet<...>",
      "train tree-lstm --save --quiet", 1);
  add("data that are empty", "--data: expected data such as listops or trees:FILE, found ''",
      "train tree-lstm --data ''", 2);
  section.cases.push_back({"data whose name is not UTF-8",
                           "--data: expected UTF-8, found the byte 0xE9 after 'trees:caf'; rename the file",
                           "cavs train tree-lstm --data trees:caf\\xE9", 2,
                           [&place] { return place.run("train tree-lstm --data trees:caf\xE9"); }});
  add("a device to save to", "--save /dev/null: cannot save: this is a device; expected the path of a file",
      "train tree-lstm --save /dev/null", 1);
  add("unknown optimiser",
      "--optimizer: unknown optimizer 'adm'; did you mean 'adam'? known: adagrad, adam, adamw, sgd",
      "train tree-lstm --optimizer adm", 2);
  add("unknown decay", "--decay: unknown decay 'cosin'; did you mean 'cosine'? known: <...>",
      "train tree-lstm --decay cosin", 2);
  add("unknown policy", "--policy: unknown policy 'frontear'; did you mean 'frontier'? known: <...>",
      "train tree-lstm --policy frontear", 2);
  add("no such policy",
      "missing.json: cannot open the file: No such file or directory; expected a policy, as save_policy writes it; "
      "check its name and directory; 'cavs learn-policy MODEL --data SPEC -o FILE' writes one",
      "schedule tree-fc --policy fsm:missing.json", 1);
  section.cases.push_back({"a policy that is none",
                           "text.json: expected a policy, as save_policy writes it; found a file that begins with "
                           "'just text'; 'cavs learn-policy MODEL --data SPEC -o FILE' writes one",
                           "just text", 1, [&place] {
                             place.write("text.json", "just text\n");
                             return place.run("schedule tree-fc --policy fsm:text.json");
                           }});
  add("policy to nowhere", "--output is required", "learn-policy tree-fc", 2);
  add("unknown encoding", "--encoding: unknown encoding 'sorted'; did you mean 'sort'? known: base, max, phase, sort",
      "learn-policy tree-fc -o p.json --encoding sorted", 2);
  add("unknown engine", "--engine: unknown engine 'gpu'; known: batched, persistent, reference",
      "eval any.cavs --engine gpu", 2);
  add("engine of a GPU", "device cpu has no engine persistent; use engine batched or reference, or device cuda",
      "train tree-lstm --engine persistent", 1);
  add("no threads", "--threads: expected an integer from 1 to 1024, found '0'", "bench tree-fc --threads 0", 2);
  add("a preset for another model", "--preset ed-batch does not support model 'var-lstm'; known: <...>",
      "bench var-lstm --preset ed-batch", 1);
  add("matrices that are too large",
      "mv-rnn: hidden is 20000, so a matrix has 400000000 numbers; expected at most 16384",
      "inspect mv-rnn --hidden 20000", 1);
  add("a vocabulary of <unk> alone", "--vocabulary: expected an integer from 2 to 2147483647, found '1'",
      "train var-lstm --vocabulary 1", 2);
  add("a width that a preset has not", "with --preset the embedding size equals the hidden size; use --hidden",
      "bench mv-rnn --preset ed-batch --embedding 4", 2);
  add("one batch size, and several", "--batch-sizes replaces --batch-size; leave --batch-size out",
      "bench mv-rnn --batch-sizes 1,2 --batch-size 4", 2);
  add("policies of which one is unknown", "--policies: unknown policy 'dept'; did you mean 'depth'? known: <...>",
      "bench mv-rnn --policies dept", 2);
  add("a batch size where sizes are compared",
      "with these data --breakdown goes over the batch sizes itself; leave --batch-size out",
      "bench tree-lstm --breakdown --batch-size 8", 2);
  add("two measurements",
      "--ablate, --roofline, --breakdown, --weight-traffic, --batch-sizes and --policies are different measurements; "
      "give only one of them",
      "bench tree-fc --ablate --roofline", 2);
  add("sizes of nothing", "--sizes needs --ablate; add it, or use --hidden", "bench tree-fc --sizes 64,128", 2);
  add("unknown pass", "--disable: unknown pass 'fusee'; did you mean 'fuse'? known: <...>",
      "inspect tree-lstm --disable fusee", 2);
  add("no size", "--memory-limit: expected a number of bytes such as 2GiB or 500MB, found 'lots'",
      "train tree-lstm --memory-limit lots", 2);
  add("saving, but nowhere", "--save-every needs a file to save to; add --save FILE", "train tree-lstm --save-every 5",
      2);
  add("other development data, but of nothing", "--new-dev needs --resume; add --resume FILE, or leave --new-dev out",
      "train tree-lstm --new-dev", 2);
  add("two outputs in one file", "--save q and --curve ./q would overwrite each other; give each a name of its own",
      "train tree-lstm --save q --curve ./q", 1);
  section.cases.push_back({"an output that is an input",
                           "--save t.txt: this is the file that --data reads; give another name",
                           "cavs train tree-lstm --data trees:t.txt --save t.txt", 1, [&place] {
                             place.write("t.txt", "(1 (0 a) (1 b))\n");
                             return place.run("train tree-lstm --data trees:t.txt --save t.txt --overwrite");
                           }});
  add("an output that is there already",
      "--save t.txt: the file already exists; give another name, --resume t.txt to continue its training, or "
      "--overwrite to "
      "replace it",
      "train tree-lstm --save t.txt", 1);
  add("a curve that is there already",
      "--curve t.txt: the file already exists; give another name, or --overwrite to replace it",
      "train tree-lstm --curve t.txt", 1);
  add("unknown operator", "NAME: unknown operator 'tanhh'; did you mean 'tanh'? known: <...>", "ops tanhh", 2);
  add("options that exclude each other", "--dot excludes --passes", "inspect tree-lstm --dot --passes", 2);
  add("no checkpoint", "CHECKPOINT is required", "predict", 2);
  add("unknown form of input", "--input: unknown form 'conl'; did you mean 'conll'? known: <...>",
      "predict any.cavs --input conl", 2);
  add("unknown format", "--format: unknown format 'json'; did you mean 'jsonl'? known: conll, jsonl, tree, tsv",
      "predict any.cavs --format json", 2);
  add("option of another optimiser", "optimizer 'adam' has no option momentum; leave it at 0",
      "train tree-lstm --optimizer adam --momentum 0.9", 1);
  add("folder does not exist", "--save missing/a.cavs: cannot save: there is no directory 'missing'; create it first",
      "train tree-lstm --save missing/a.cavs", 1);
  add("more memory than allowed",
      "a minibatch of 64 samples with 32704 vertices needs 24.9 MiB, but the limit is 976.6 KiB; largest: state 'h' "
      "8.0 "
      "MiB, gradient of state 'h' 8.0 MiB, '%27' of 'inner' 4.0 MiB; try a smaller batch or hidden size",
      "train tree-fc --memory-limit 1MB", 1);
  add("loss that is not finite",
      "training stopped in epoch 1, minibatch 2 (step 2): the loss is nan; value %11 = matmul of vertex function "
      "'inner' is -inf at vertex 0 of sample 2; this step did not change the parameters; lower the learning rate, or "
      "clip gradients",
      "train tree-fc --data binary-trees:leaves=2,samples=4 --batch-size 1 --epochs 9 "
      "--hidden 4 --embedding 4 --threads 1 --optimizer sgd --lr 1e38",
      1);
  return section;
}

}  // namespace cavs::testing
