// The law over the zoo: each model, its data and random values of all options of 'cavs train', then of 'cavs eval' and
// 'cavs predict' for the trained model, all in this process. Environment:
//   CAVS_LAW_CASES  number of cases; 200 if unset, fewer under a sanitizer
//   CAVS_LAW_SEED   seed of the first case
//   CAVS_LAW_TRACE  if set, prints each case before it runs, and its time

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "cli/command_line.h"
#include "cli/validators.h"
#include "helpers/sanitizer.h"
#include "zoo/case.h"
#include "zoo/coverage.h"
#include "zoo/data_files.h"
#include "zoo/laws.h"
#include "zoo/run_case.h"

namespace cavs::zoo {
namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

/// Makes a new working directory with the data files.
class ZooLaw : public ::testing::Test {
 protected:
  ZooLaw() : before_(std::filesystem::current_path()) {
    std::string name = ::testing::TempDir() + "cavs-zoo-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    folder_ = name;
    std::filesystem::current_path(folder_);
    write_data_files();
  }
  ~ZooLaw() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

 private:
  std::filesystem::path before_, folder_;
};

std::string name_of(const CLI::Option& option) {
  const std::string name = option.get_single_name();
  return option.get_lnames().empty() ? name : "--" + name;
}

TEST_F(ZooLaw, KnowsEveryOptionOfTheCommands) {
  cli::CommandLine line;
  for (const auto& [command, reasons] : not_drawn()) {
    std::set<std::string> known, drawn, listed;
    for (const auto& [option, reason] : reasons) known.insert(option);
    for (const Dimension& dimension : all_dimensions())
      if (dimension.command == command) drawn.insert(dimension.option);
    for (const CLI::Option* option : line.app().get_subcommand(command)->get_options()) listed.insert(name_of(*option));
    for (const std::string& option : listed)
      EXPECT_NE(known.contains(option), drawn.contains(option))
          << command << " " << option << ": expected in zoo/dimensions.cc, either drawn or with the reason why not";
    known.merge(drawn);
    for (const std::string& option : known)
      EXPECT_TRUE(listed.contains(option)) << command << " has no option " << option << "; take it out of the table";
  }
}

TEST_F(ZooLaw, KnowsEveryChoiceOfTheOptions) {
  cli::CommandLine line;
  for (const auto& [command, reasons] : not_drawn())
    for (CLI::Option* option : line.app().get_subcommand(command)->get_options()) {
      const std::string name = name_of(*option);
      if (reasons.contains(name) || name == "--data") continue;  // the kind of data depends on the model
      for (const std::string& choice : cli::choices_of(*option)) {
        const auto has_it = [&, &command = command](const Dimension& dimension) {
          return dimension.command == command && dimension.option == name &&
                 std::ranges::find(dimension.values, choice) != dimension.values.end();
        };
        const auto left_out = choices_not_drawn().find(name);
        EXPECT_NE(left_out != choices_not_drawn().end() && left_out->second.contains(choice),
                  std::ranges::any_of(all_dimensions(), has_it))
            << command << " " << name << " " << choice;
      }
    }
}

/// The options with which a sweep found dropout masks that belonged to other vertices.
ZooCase with_dropout(const std::string& model) {
  ZooCase of(all_dimensions().size());
  set(of, "train MODEL", model);
  set(of, "train --dropout", "0.5");
  set(of, "train --limit", "8");
  set(of, "train --batch-size", "8");
  set(of, "train --hidden", "8");
  set(of, "train --embedding", "8");
  return of;
}

TEST_F(ZooLaw, HoldsForModelsWithDropout) {
  for (const char* model : {"bilstm-char", "bilstm", "td-rnn", "tree-gru", "mv-rnn"})
    for (const char* data : {"generated", "files"}) {
      ZooCase of = with_dropout(model);
      set(of, "train --data", data);
      const Verdict verdict = judge(of);
      EXPECT_EQ(verdict.broken, "") << verdict.commands;
      EXPECT_TRUE(verdict.ran.contains("eval")) << verdict.commands;
    }
}

rc::Gen<ZooCase> any_case() {
  const auto seed = rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>()));
  return rc::gen::shrink(rc::gen::map(seed, draw_case),
                         [](const ZooCase& of) { return rc::seq::fromContainer(smaller(of)); });
}

struct Tally {
  Coverage coverage;
  std::string failure;           // kind of the first failure
  std::string broken, commands;  // of the smallest case so far that fails in the same way
  Clock::time_point shrinks_until;
};

void check(const ZooCase& of, Tally& tally) {
  const bool shrinks = !tally.failure.empty();
  if (shrinks && Clock::now() > tally.shrinks_until) return;
  const auto start = Clock::now();
  const bool trace = std::getenv("CAVS_LAW_TRACE") != nullptr;
  if (trace) std::cerr << fmt::format("{}\n", fmt::join(arguments(of, "train"), " "));
  const Verdict verdict = judge(of);
  if (trace)
    std::cerr << std::chrono::duration<double>(Clock::now() - start).count() << " s " << verdict.broken << "\n";
  const std::string kind = verdict.broken.substr(0, verdict.broken.find(':'));
  if (!shrinks) tally.coverage.ran(of, verdict.ran);
  if (verdict.broken.empty() || (shrinks && kind != tally.failure)) return;
  if (!shrinks) {
    tally.failure = kind;
    tally.shrinks_until = Clock::now() + std::chrono::seconds(60);
  }
  tally.broken = verdict.broken;
  tally.commands = verdict.commands;
  RC_FAIL(verdict.broken);
}

TEST_F(ZooLaw, HoldsForAllCombinations) {
  const int cases = static_cast<int>(number_from("CAVS_LAW_CASES", fewer(200)));
  Tally tally;
  rc::detail::TestParams params;
  params.seed = number_from("CAVS_LAW_SEED", 1);
  params.maxSuccess = cases;
  const auto result = rc::detail::checkTestable([&] { check(*any_case(), tally); }, rc::detail::TestMetadata{}, params);
  ASSERT_TRUE(result.is<rc::detail::SuccessResult>()) << tally.broken << "\n"
                                                      << data_files_for(tally.commands) << tally.commands;
  std::cout << tally.coverage.table();
}

}  // namespace
}  // namespace cavs::zoo
