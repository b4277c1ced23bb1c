#include "zoo/laws.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "cavs/checkpoint.h"
#include "cavs/models.h"
#include "zoo/compare.h"
#include "zoo/data_files.h"
#include "zoo/kept_saves.h"

namespace cavs::zoo {
namespace {

/// Bounds of law 1 after the first step, and after more steps, in which rounding errors grow.
constexpr double kRounding = 1e-5, kRoundingOfSteps = 2e-4, kBf16 = 2e-2;

/// Thrown if a law is broken.
struct Broken {
  std::string what;
};

void check(const std::string& law, const std::string& difference) {
  if (!difference.empty()) throw Broken{law + ": " + difference};
}

Arguments operator+(Arguments all, const Arguments& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

class Judge {
 public:
  explicit Judge(const ZooCase& of) : case_(of), threads_(std::stoi(value(of, "train --threads"))) {}

  Verdict run() {
    try {
      if (train()) {
        reference_trains_alike();
        other_threads_train_alike();
        resumed_trains_alike();
        evaluates_alike();
        predicts_alike();
      }
    } catch (const Broken& broken) {
      verdict_.broken = broken.what;
    }
    verdict_.commands = commands_.lines();
    return verdict_;
  }

 private:
  std::string threads(int more) const { return std::to_string(1 + (threads_ - 1 + more) % 3); }
  bool bf16(const std::string& command) const { return value(case_, command + " --precision") == "bf16"; }

  /// Runs a command of the case. @return true if it ran. @throws Broken if it failed other than by a listed refusal
  bool runs(const std::string& command, const Arguments& arguments, Outcome& outcome, const std::string& input = "") {
    outcome = commands_.run(arguments, input);
    const auto refusals = refusals_of(case_, command);
    if (outcome.code == 0) {
      const auto certain = std::ranges::find(refusals, false, &Refusal::data_decides);
      if (certain != refusals.end()) throw Broken{"is taken, but must be refused: " + (*certain)->message};
      verdict_.ran.insert(command);
      return true;
    }
    const auto explains = [&](const Refusal* refusal) {
      return outcome.err.find(refusal->message) != outcome.err.npos;
    };
    if (std::ranges::none_of(refusals, explains)) throw Broken{"is refused: " + outcome.err};
    return false;
  }
  Outcome must_run(const Arguments& arguments, const std::string& input = "") {
    const Outcome outcome = commands_.run(arguments, input);
    if (outcome.code != 0) throw Broken{"is refused unlike before: " + outcome.err};
    return outcome;
  }

  Arguments train_to(const std::string& file, const Arguments& more) const {
    return arguments(case_, "train") + Arguments{"--save", file, "--overwrite"} + more;
  }

  bool train() {
    for (const char* file : {"a.cavs", "b.cavs", "c.cavs", "cut.cavs", "best.cavs", "history.jsonl"})
      std::filesystem::remove(file);
    const KeptSaves saves;
    Outcome outcome;
    if (!runs("train", train_to("a.cavs", {"--save-every", "1"}), outcome)) return false;
    saves_ = saves.all();
    trained_ = read_bytes("a.cavs");
    best_ = read_bytes("best.cavs");
    return true;
  }

  /// The file as one training saved it first.
  static std::string first_of(const std::vector<KeptSaves::Save>& saves, const std::string& file) {
    return std::ranges::find(saves, file, &KeptSaves::Save::file)->bytes;
  }
  static Checkpoint read(const std::string& bytes) {
    write_bytes("read.cavs", bytes);
    return load_checkpoint("read.cavs");
  }

  void reference_trains_alike() {
    const KeptSaves saves;
    must_run(train_to("b.cavs", {"--save-every", "1", "--engine", "reference"}));
    const Checkpoint first = read(first_of(saves_, "a.cavs")), last = read(trained_);
    const Checkpoint expected_first = read(first_of(saves.all(), "b.cavs")), expected = read(read_bytes("b.cavs"));
    const double most = bf16("train") ? kBf16 : kRounding, most_of_steps = bf16("train") ? 5 * kBf16 : kRoundingOfSteps;
    const std::string law = "law 1, step 1";
    check_position(first, expected_first);
    if (!depends_on_rounding()) check_position(last, expected);
    for (const auto& [slot, tensors] : expected_first.optimizer->slots)
      check(law + ", " + slot, first_difference(first.optimizer->slots.at(slot), tensors, 2 * most));
    for (const char* name : {"train_loss", "epoch_so_far"}) check_losses(first, expected_first, name, most);
    if (!depends_on_rounding()) check_losses(last, expected, "loss", most_of_steps);
    if (value(case_, "train --optimizer") != "sgd") return;  // in others, rounding can flip the sign of a whole step
    check(law, first_difference(first.parameters, expected_first.parameters, most));
    if (depends_on_rounding()) return;
    check("law 1, last step", first_difference(last.parameters, expected.parameters, most_of_steps));
    if (expected.averages)
      check("law 1, averages", first_difference(last.averages->values, expected.averages->values, most_of_steps));
  }

  /// True if the correlation of a few nearly equal predictions decides when training ends, or its learning rate. Such a
  /// correlation consists of rounding errors.
  bool depends_on_rounding() const {
    const std::string metric = value(case_, "train --metric");
    return find_model(value(case_, "train MODEL")).metric == Metric::kCorrelation && metric != "loss" &&
           metric != "mse" && (value(case_, "train --patience") != "" || value(case_, "train --decay") == "plateau");
  }

  static void check_position(const Checkpoint& found, const Checkpoint& expected) {
    if (found.position != expected.position)
      throw Broken{fmt::format("law 1: {} steps, not {}", found.position.step, expected.position.step)};
    if (found.model != expected.model || found.data != expected.data) throw Broken{"law 1: another model"};
  }

  /// Compares the metrics whose names contain `part`.
  static void check_losses(const Checkpoint& found, const Checkpoint& expected, std::string_view part, double most) {
    for (const auto& [name, values] : expected.metrics) {
      const std::vector<double>& others = found.metrics.at(name);
      if (others.size() != values.size()) throw Broken{"law 1: other metrics: " + name};
      if (name.find(part) == name.npos) continue;
      for (std::size_t i = 0; i < values.size(); ++i)
        if (!(std::abs(others[i] - values[i]) <= most * std::max(1.0, std::abs(values[i]))))
          throw Broken{fmt::format("law 1, loss: {} is {}, not {}", name, others[i], values[i])};
    }
  }

  void other_threads_train_alike() {
    Arguments all = train_to("c.cavs", {"--threads", threads(1)});
    if (value(case_, "law options are given") == "in a file") {
      const Outcome printed = must_run(all + Arguments{"--print-config"});
      write_bytes("options.toml", printed.out);
      commands_.note("the same, > options.toml");
      all = {"train", all[1], "--config", "options.toml"};
    }
    must_run(all);
    if (read_bytes("c.cavs") != trained_) throw Broken{"law 4, threads: other bits"};
    if (read_bytes("best.cavs") != best_) throw Broken{"law 4, threads: other bits of the best epoch"};
  }

  /// Restores the files as they were when training stopped.
  void stop() {
    const int number = std::stoi(value(case_, "law stop number"));
    std::filesystem::remove("best.cavs");
    if (value(case_, "law stops") == "after an epoch") {
      const int epochs = std::stoi(value(case_, "train --epochs"));
      must_run(train_to("cut.cavs", {"--epochs", std::to_string(1 + (number - 1) % epochs)}));
      return;
    }
    const auto all = std::ranges::count(saves_, "a.cavs", &KeptSaves::Save::file);
    for (auto n = 1 + (number - 1) % all; const KeptSaves::Save& save : saves_) {
      if (save.file == "best.cavs") write_bytes("best.cavs", save.bytes);
      if (save.file != "a.cavs") continue;
      write_bytes("cut.cavs", save.bytes);
      if (--n == 0) break;
    }
    commands_.note(fmt::format("save {} of a.cavs of the first command is cut.cavs", 1 + (number - 1) % all));
  }

  void resumed_trains_alike() {
    stop();
    Arguments more{"--resume", "cut.cavs", "--threads", threads(2)};
    if (value(case_, "law --new-dev") == "yes") more.emplace_back("--new-dev");
    Outcome outcome;
    if (!runs("resume", train_to("cut.cavs", more), outcome)) return;
    if (read_bytes("cut.cavs") != trained_) throw Broken{"law 4, resumed: other bits"};
    if (read_bytes("best.cavs") != best_) throw Broken{"law 4, resumed: other bits of the best epoch"};
  }

  void evaluates_alike() {
    Outcome found;
    const Arguments all = arguments(case_, "eval", "a.cavs");
    if (!runs("eval", all, found)) return;
    const Outcome other = must_run(all + Arguments{"--threads", threads(1)});
    check("law 4, eval: threads", first_difference(found.out, other.out, 0));
    const Outcome reference = must_run(all + Arguments{"--engine", "reference"});
    if (!bf16("eval")) check("law 1, eval", first_difference(found.out, reference.out, kRounding));
  }

  void predicts_alike() {
    const bool reads = value(case_, "predict --data").empty();
    const std::string input = reads ? raw_samples(value(case_, "train MODEL"), value(case_, "train --data")) : "";
    Outcome found;
    const Arguments all = arguments(case_, "predict", "a.cavs");
    if (!runs("predict", all, found, input)) return;
    if (found.out.empty()) throw Broken{"predict: no answers"};
    const Outcome other = must_run(all + Arguments{"--threads", threads(1), "--batch-size", "2"}, input);
    check("law 4, predict: threads and batch size", first_difference(found.out, other.out, 0));
    const Outcome reference = must_run(all + Arguments{"--engine", "reference"}, input);
    if (!bf16("predict")) check("law 1, predict", first_difference(found.out, reference.out, 2 * kRounding));
  }

  const ZooCase& case_;
  int threads_;
  Commands commands_;
  Verdict verdict_;
  std::vector<KeptSaves::Save> saves_;
  std::string trained_, best_;
};

}  // namespace

Verdict judge(const ZooCase& of) { return Judge(of).run(); }

}  // namespace cavs::zoo
