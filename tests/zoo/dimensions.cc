#include "zoo/dimensions.h"

#include <algorithm>
#include <stdexcept>

#include "cli/command_line.h"
#include "cli/validators.h"

namespace cavs::zoo {
namespace {

/// The values that CLI11 lists for an option, except those that no case draws.
std::vector<std::string> choices(cli::CommandLine& command, const std::string& of, const std::string& option) {
  std::vector<std::string> names = cli::choices_of(*command.app().get_subcommand(of)->get_option(option));
  const auto left_out = choices_not_drawn().find(option);
  if (left_out != choices_not_drawn().end())
    std::erase_if(names, [&](const std::string& name) { return left_out->second.contains(name); });
  return names;
}

class Table {
 public:
  void add(const std::string& of, const std::string& option, int percent, std::vector<std::string> values) {
    all_.push_back({of, option, of + " " + option, percent, std::move(values)});
  }
  /// Adds all values that CLI11 lists. `first` is the default, or "" to leave the option out.
  void add_choices(const std::string& of, const std::string& option, int percent, const std::string& first) {
    std::vector<std::string> values{first};
    for (const std::string& name : choices(command_, of, option))
      if (name != first) values.push_back(name);
    add(of, option, percent, std::move(values));
  }
  /// Adds one dimension per value, which is present or absent.
  void add_subset(const std::string& of, const std::string& option, int percent) {
    for (const std::string& name : choices(command_, of, option))
      all_.push_back({of, option, of + " " + option + " " + name, percent, {"", name}});
  }
  void add_session(const std::string& of, int percent) {
    add(of, "--threads", 60, {"1", "2", "3"});
    add_choices(of, "--policy", percent, "frontier");
    add_choices(of, "--precision", percent / 2, "fp32");
    add_choices(of, "--streaming", percent, "auto");
    add(of, "--memory-limit", percent / 3, {"", "1GiB"});
    add_choices(of, "--engine", 1, "");
  }
  std::vector<Dimension> all() && { return std::move(all_); }

 private:
  cli::CommandLine command_;
  std::vector<Dimension> all_;
};

// Options that most models refuse are drawn often, then removed again for those models.

void add_training(Table& table) {
  const std::string train = "train";
  table.add_choices(train, "MODEL", 100, "tree-lstm");
  table.add(train, "--data", 40, {"generated", "files"});
  table.add(train, "--limit", 25, {"", "5", "8"});
  table.add(train, "--vocabulary", 15, {"", "7"});
  table.add(train, "--min-count", 15, {"", "2"});
  table.add(train, "--stream", 60, {"", "1", "5"});
  table.add(train, "--hidden", 50, {"4", "1", "8", "15"});
  table.add(train, "--embedding", 50, {"4", "1", "8", "9"});
  table.add(train, "--dropout", 40, {"", "0.1", "0.5"});
  table.add(train, "--vectors", 30, {"", "vectors.txt"});
  table.add(train, "--epochs", 60, {"1", "2", "3"});
  table.add_choices(train, "--metric", 90, "");
  table.add(train, "--patience", 20, {"", "1"});
  table.add(train, "--class-weights", 30, {"", "balanced", "0=2,1=0.5"});
  table.add(train, "--label-smoothing", 15, {"", "0.1"});
  table.add_choices(train, "--optimizer", 60, "sgd");
  table.add(train, "--lr", 60, {"", "0.05", "0.02 *b*=0.5x", "*=0.1"});
  table.add(train, "--freeze", 15, {"", "*b*"});
  table.add(train, "--momentum", 30, {"", "0.9"});
  table.add(train, "--weight-decay", 20, {"", "0.1"});
  table.add(train, "--clip", 25, {"", "0.1", "5"});
  table.add(train, "--warmup", 20, {"", "2"});
  table.add_choices(train, "--decay", 60, "constant");
  table.add(train, "--decay-steps", 40, {"", "3"});
  table.add(train, "--decay-rate", 20, {"", "0.7"});
  table.add(train, "--decay-patience", 20, {"", "1"});
  table.add(train, "--decay-floor", 20, {"", "0.2"});
  table.add(train, "--sparse-updates", 25, {"", "yes"});
  table.add(train, "--accumulate", 35, {"", "2", "3"});
  table.add(train, "--ema", 30, {"", "0.5"});
  table.add(train, "--batch-size", 60, {"4", "1", "3", "8", "64"});
  table.add(train, "--bucket", 35, {"", "1", "2"});
  table.add(train, "--seed", 50, {"1", "2", "77"});
  table.add_session(train, 60);
  table.add(train, "--check-script", 1, {"", "yes"});
  table.add_subset(train, "--disable", 15);
  table.add(train, "--save-every", 60, {"", "1", "2"});
  table.add(train, "--save-best", 30, {"", "best.cavs"});
  table.add(train, "--curve", 20, {"", "curve.svg"});
  table.add(train, "--history", 20, {"", "history.jsonl"});
  table.add(train, "--json", 20, {"", "yes"});
  table.add(train, "--quiet", 20, {"", "yes"});
}

void add_evaluation(Table& table) {
  const std::string eval = "eval";
  table.add(eval, "--data", 30, {"", "the same"});
  table.add(eval, "--limit", 30, {"", "3"});
  table.add(eval, "--part", 40, {"dev", "train"});
  table.add(eval, "--last-step", 20, {"", "yes"});
  table.add(eval, "--beam", 60, {"", "1", "3"});
  table.add(eval, "--length-penalty", 60, {"", "0.5"});
  table.add(eval, "--max-length", 60, {"", "3"});
  table.add(eval, "--batch-size", 40, {"64", "1", "3"});
  table.add(eval, "--seed", 20, {"", "5"});
  table.add_session(eval, 60);
  table.add(eval, "--json", 50, {"", "yes"});
  table.add(eval, "--quiet", 20, {"", "yes"});
}

void add_prediction(Table& table) {
  const std::string predict = "predict";
  table.add(predict, "--data", 40, {"", "the same"});
  table.add(predict, "--part", 20, {"dev", "train"});
  table.add(predict, "--limit", 20, {"", "3"});
  table.add_choices(predict, "--input", 85, "");
  table.add(predict, "--lexicon", 60, {"", "lexicon.txt"});
  table.add_choices(predict, "--format", 60, "");
  table.add(predict, "--tree", 30, {"", "yes"});
  table.add(predict, "--spans", 60, {"", "yes"});
  table.add(predict, "--words", 60, {"", "0", "4"});
  table.add(predict, "--temperature", 60, {"", "0", "0.9"});
  table.add(predict, "--beam", 60, {"", "1", "3"});
  table.add(predict, "--n-best", 60, {"", "2"});
  table.add(predict, "--length-penalty", 60, {"", "0.5"});
  table.add(predict, "--max-length", 60, {"", "3"});
  table.add(predict, "--batch-size", 40, {"64", "1", "3"});
  table.add(predict, "--seed", 50, {"", "5"});
  table.add_session(predict, 60);
  table.add(predict, "--quiet", 20, {"", "yes"});
}

void add_laws(Table& table) {
  table.add("law", "options are given", 30, {"as arguments", "in a file"});
  table.add("law", "stops", 40, {"after a step", "after an epoch"});
  table.add("law", "stop number", 75, {"1", "2", "3", "5"});
  table.add("law", "--new-dev", 20, {"", "yes"});
}

}  // namespace

const std::map<std::string, std::map<std::string, std::string>>& not_drawn() {
  static const std::string kAnother = "does something else: tests/cli";
  static const std::string kDevice = "other bits than the CPU's: tests/cuda";
  static const std::map<std::string, std::map<std::string, std::string>> kAll{
      {"train",
       {{"--help", kAnother},
        {"--config", "the laws give one, written by --print-config"},
        {"--print-config", "the laws use it"},
        {"--device", kDevice},
        {"--save", "the laws give it"},
        {"--resume", "the laws give it"},
        {"--new-dev", "the laws give it with --resume"},
        {"--overwrite", "the laws give it"},
        {"--launch", "tests/cli/ranks_test.py; tests/law draws ranks"},
        {"--distributed", "tests/cli/ranks_test.py"},
        {"--timeout", "tests/cli/ranks_test.py"}}},
      {"eval",
       {{"--help", kAnother}, {"--config", "tests/cli"}, {"CHECKPOINT", "the laws give it"}, {"--device", kDevice}}},
      {"predict",
       {{"--help", kAnother}, {"--config", "tests/cli"}, {"CHECKPOINT", "the laws give it"}, {"--device", kDevice}}},
  };
  return kAll;
}

const std::map<std::string, std::map<std::string, std::string>>& choices_not_drawn() {
  static const std::map<std::string, std::map<std::string, std::string>> kAll{
      {"--engine", {{"batched", "the laws compare it"}, {"reference", "the laws compare it"}}},
      {"--precision", {{"tf32", "is of GPUs: tests/cuda"}}},
      {"--policy", {{"fsm:", "'fsm' learns the policy that 'cavs learn-policy' writes"}}},
  };
  return kAll;
}

const std::vector<Dimension>& all_dimensions() {
  static const std::vector<Dimension> kAll = [] {
    Table table;
    add_training(table);
    add_evaluation(table);
    add_prediction(table);
    add_laws(table);
    return std::move(table).all();
  }();
  return kAll;
}

std::size_t dimension_named(std::string_view name) {
  static const std::map<std::string_view, std::size_t> kNumbers = [] {
    std::map<std::string_view, std::size_t> numbers;
    for (std::size_t d = 0; d < all_dimensions().size(); ++d) numbers[all_dimensions()[d].name] = d;
    return numbers;
  }();
  return kNumbers.at(name);
}

}  // namespace cavs::zoo
