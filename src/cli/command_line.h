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

/// The command cavs with all its subcommands, for one run in this process. The constructor sends the log to standard
/// error and handles signals; the destructor restores both.
class CommandLine {
 public:
  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Returns the parser, with a subcommand for each command.
  CLI::App& app() { return app_; }

  /// Runs the command that the first argument names. Results go to standard output, everything else to standard error.
  /// Returns the exit code, see kExitCodes.
  int run(std::vector<std::string> arguments);

 private:
  int read_and_do(std::vector<std::string> arguments);

  std::shared_ptr<spdlog::logger> log_before_;
  CLI::App app_;
  std::map<const CLI::App*, Action> actions_;
};

}  // namespace cavs::cli
