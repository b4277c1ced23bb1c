// The command can run inside this process with the same results, and leaves no global state behind.
#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <array>
#include <csignal>
#include <regex>

#include "bad_input.h"
#include "cli/validators.h"
#include "run_here.h"

namespace cavs::testing {
namespace {

using cli::Captured;
using cli::Ran;
using cli::run_here;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXCPU};

/// The current signal handlers.
std::vector<void (*)(int)> handlers() {
  std::vector<void (*)(int)> all;
  for (const int signal : kSignals) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    all.push_back(action.sa_handler);
  }
  return all;
}

std::vector<std::string> train(const std::string& save) {
  return {"train",    "tree-lstm", "--data",   "listops:train=20,test=4,length=9",
          "--hidden", "4",         "--epochs", "1",
          "--seed",   "1",         "--save",   save};
}

TEST(CommandLine, BehavesInThisProcessAsInItsOwn) {
  const Workplace place;
  const Ran ran = run_here(train(place.path("here.cavs")));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("checkpoint: "));
  std::string arguments;
  for (const std::string& each : train("there.cavs")) arguments += each + " ";
  EXPECT_EQ(place.run(arguments).code, 0);
  EXPECT_EQ(place.read("here.cavs"), place.read("there.cavs"));
}

TEST(CommandLine, ReturnsTheExitCodesOfTheCommand) {
  EXPECT_THAT(run_here({"--version"}).out, StartsWith("cavs "));
  EXPECT_EQ(run_here({"help", "train"}).out, run_here({"train", "--help"}).out);
  const Ran wrong = run_here({"train", "tree-lstm", "--hidden", "0"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, StartsWith("cavs: --hidden: expected an integer"));
  const Ran failed = run_here({"eval", "missing.cavs"});
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.err, StartsWith("cavs: error: missing.cavs: cannot open the file"));
}

TEST(CommandLine, RestoresLogAndSignals) {
  const Workplace place;
  const auto log = spdlog::default_logger();
  const auto level = log->level();
  const auto before = handlers();
  std::vector<std::string> arguments = train(place.path("a.cavs"));
  arguments.emplace_back("--quiet");
  EXPECT_THAT(run_here(arguments).err, IsEmpty());
  EXPECT_EQ(spdlog::default_logger(), log);
  EXPECT_EQ(log->level(), level);
  EXPECT_EQ(handlers(), before);
  arguments.back() = "--overwrite";
  EXPECT_THAT(run_here(arguments).err, HasSubstr("to train on"));
}

TEST(CommandLine, HandlesSignalsDuringItsLifetime) {
  const Workplace place;
  const auto before = handlers();
  Captured out(stdout), err(stderr);
  {
    cli::CommandLine command;
    EXPECT_EQ(command.run(train(place.path("a.cavs"))), 0);
    EXPECT_NE(handlers(), before);
    std::raise(SIGXCPU);  // must not stop the next training
  }
  EXPECT_EQ(handlers(), before);
  EXPECT_EQ(run_here(train(place.path("b.cavs"))).err.find("stopped"), std::string::npos);
}

TEST(CommandLine, ListsItsOptionsAndTheirChoices) {
  cli::CommandLine command;
  CLI::App& part = *command.app().get_subcommand("train");
  std::vector<std::string> names;
  for (const CLI::Option* option : part.get_options()) names.push_back(option->get_single_name());
  const std::string help = run_here({"train", "--help"}).out;
  const std::regex option("\n  (?:-\\w,)?--([a-z-]+)");
  for (std::sregex_iterator found(help.begin(), help.end(), option); found != std::sregex_iterator(); ++found)
    EXPECT_THAT(names, Contains((*found)[1].str()));
  EXPECT_THAT(cli::choices_of(*part.get_option("--optimizer")), ElementsAre("adagrad", "adam", "adamw", "sgd"));
  EXPECT_THAT(cli::choices_of(*part.get_option("--hidden")), IsEmpty());
}

}  // namespace
}  // namespace cavs::testing
