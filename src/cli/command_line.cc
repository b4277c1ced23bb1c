#include "cli/command_line.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <new>
#include <span>
#include <sstream>
#include <utility>

#include "cavs/error.h"
#include "cavs/version.h"
#include "cli/interrupt.h"
#include "cli/usage_error.h"
#include "support/suggest.h"

namespace cavs::cli {
namespace {

enum ExitCode : int { kDone = 0, kFailed = 1, kWrongUse = 2 };

/// Wraps descriptions, and prints one empty line between groups.
class Formatter : public CLI::Formatter {
 public:
  Formatter() {
    column_width(kColumn);
    label("OPTIONS", "options");
    label("SUBCOMMAND", "COMMAND");
    label("Positionals", "Arguments");
    label("REQUIRED", "");
  }
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    return CLI::detail::find_and_replace(CLI::Formatter::make_help(app, std::move(name), mode), "\n\n\n", "\n\n");
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text, line;
    std::istringstream words(option->get_description());
    for (std::string word; words >> word;) {
      if (line.size() + 1 + word.size() > kWidth - kColumn) text += std::exchange(line, "") + "\n";
      line += (line.empty() ? "" : " ") + word;
    }
    return text + line;
  }

 private:
  static constexpr std::size_t kColumn = 26, kWidth = 100;
};

constexpr const char* kCommandsFooter =
    "Results go to standard output, everything else to standard error.\n"
    "Exit codes: {}.\n"
    "'cavs COMMAND --help', or 'cavs help COMMAND', prints the options of a command.\n"
    "\n"
    "Examples:\n"
    "  $ cavs train tree-lstm --save listops.cavs        train on ListOps\n"
    "  $ cavs eval listops.cavs                          evaluate on held-out data\n"
    "  $ echo '[MAX 2 9 [MIN 4 7] 0]' | cavs predict listops.cavs --tree\n"
    "  $ cavs inspect tree-lstm                          print the forward and backward functions";

void be_quiet() { spdlog::default_logger()->set_level(spdlog::level::err); }

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// True for "-o" and "-oVALUE", as in CLI11. False for "-output", which is "--output" with a hyphen missing.
bool is_short_option(const CLI::App& app, std::string_view argument, const std::vector<std::string>& known) {
  if (std::ranges::find(known, fmt::format("-{}", argument)) != known.end()) return false;
  const CLI::Option* option = app.get_option_no_throw(std::string(argument.substr(0, 2)));
  return option != nullptr && (argument.size() == 2 || option->get_items_expected_max() > 0);
}

bool is_negative_number(std::string_view argument) { return argument.find_first_of(".0123456789") == 1; }

/// Checks the names of options before CLI11, which would take the value of an unknown option for an argument. Returns
/// the name of the command. @throws UsageError for an unknown command or option.
std::string check_names(const CLI::App& app, std::span<const std::string> arguments) {
  const CLI::App* part = &app;
  std::string command;
  const std::vector<std::string> commands = command_names();
  if (arguments.empty()) throw UsageError("", "no command given; " + suggest("", commands));
  for (const std::string_view argument : arguments) {
    if (argument == "--") break;
    const std::string name(argument.substr(0, argument.find('=')));
    const auto known = option_names(*part);
    if (argument.starts_with("--")) {
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw UsageError(command, fmt::format("unknown option '{}'; {}", name, suggest(name, known)));
    } else if (argument.size() > 1 && argument.starts_with("-")) {
      if (!is_short_option(*part, name, known) && !is_negative_number(argument))
        throw UsageError(command, fmt::format("unknown option '{}'; {}", name, suggest("-" + name, known)));
    } else if (command.empty() && !argument.starts_with("-")) {
      command = argument;
      if (std::find(commands.begin(), commands.end(), command) == commands.end())
        throw UsageError("", fmt::format("unknown command '{}'; {}", command, suggest(command, commands)));
      part = app.get_subcommand(command);
    }
  }
  return command;
}

int wrong_use(const std::string& command, std::string_view message) {
  spdlog::error("{}\nrun 'cavs{}{} --help' for help", message, command.empty() ? "" : " ", command);
  return kWrongUse;
}

}  // namespace

CommandLine::CommandLine()
    : log_before_(spdlog::default_logger()),
      app_("Trains and runs dynamic neural networks: one vertex function, any input graph.\n", "cavs") {
  auto log = std::make_shared<spdlog::logger>("cavs", std::make_shared<spdlog::sinks::stderr_sink_st>());
  log->set_pattern("cavs: %v");
  spdlog::set_default_logger(std::move(log));
  app_.formatter(std::make_shared<Formatter>());
  app_.set_help_flag("-h,--help", "Print this help");
  app_.set_version_flag("-V,--version", "cavs " CAVS_VERSION, "Print the version");
  app_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app_.footer(fmt::format(kCommandsFooter, kExitCodes));
  app_.require_subcommand(1);
  for (const Command& command : all_commands()) {
    CLI::App* part = app_.add_subcommand(std::string(command.name), std::string(command.doc));
    part->group(std::string(command.group));
    part->add_flag_callback("-q,--quiet", be_quiet, "Print only results and errors");
    actions_[part] = command.declare(*part);
  }
}

CommandLine::~CommandLine() {
  stop_watching();
  spdlog::set_default_logger(log_before_);
}

int CommandLine::read_and_do(std::vector<std::string> arguments) {
  std::string command;
  try {
    if (!arguments.empty() && arguments.front() == "help") {
      std::rotate(arguments.begin(), arguments.begin() + 1, arguments.end());
      arguments.back() = "--help";
    }
    command = check_names(app_, arguments);
    std::ranges::reverse(arguments);  // CLI11 takes arguments from the end
    app_.parse(std::move(arguments));
    actions_.at(app_.get_subcommands().front())();
    return kDone;
  } catch (const CLI::Success& help) {
    return app_.exit(help);
  } catch (const CLI::ArgumentMismatch& e) {
    const std::string_view what = e.what();
    return wrong_use(command, fmt::format("{}: expected a value after the option", what.substr(0, what.find(':'))));
  } catch (const CLI::ParseError& e) {
    return wrong_use(command, e.what());
  } catch (const UsageError& e) {
    return wrong_use(e.command(), e.what());
  }
}

int CommandLine::run(std::vector<std::string> arguments) {
  try {
    return read_and_do(std::move(arguments));
  } catch (const UserError& e) {
    spdlog::error("error: {}", e.what());
  } catch (const std::bad_alloc&) {
    spdlog::error("error: out of memory; try fewer samples (--limit), a smaller --batch-size or --hidden");
  } catch (const std::exception& e) {
    spdlog::error("error: {}", e.what());
  }
  return kFailed;
}

}  // namespace cavs::cli
