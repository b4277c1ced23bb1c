#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace spdlog {
class logger;
}

namespace cavs::cli {

/// cavs with all its commands, for one run in this process, which it leaves as it was: the log goes to standard error
/// and signals are handled only as long as it lives.
class CommandLine {
 public:
  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Each command is a subcommand, with its options.
  CLI::App& app() { return app_; }

  /// Does what the arguments say, of which the first is the command. Results go to standard output, everything else to
  /// standard error. @return the exit code, see kExitCodes
  int run(std::vector<std::string> arguments);

 private:
  int read_and_do(std::vector<std::string> arguments);

  std::shared_ptr<spdlog::logger> log_before_;
  CLI::App app_;
  std::map<const CLI::App*, Action> actions_;
};

}  // namespace cavs::cli
