#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <new>

#include "cavs/error.h"
#include "cli/commands.h"
#include "cli/usage_error.h"
#include "support/suggest.h"

namespace cavs::cli {
namespace {

enum ExitCode : int { kDone = 0, kFailed = 1, kWrongUse = 2 };

class Formatter : public CLI::Formatter {
 public:
  Formatter() {
    column_width(26);
    label("OPTIONS", "options");
    label("SUBCOMMAND", "COMMAND");
  }
};

constexpr const char* kFooter =
    "Results go to standard output, everything else to standard error.\n"
    "Exit codes: 0 done, 1 failed, 2 wrong use.\n"
    "\n"
    "Examples:\n"
    "  cavs train tree-lstm --save listops.cavs        learn ListOps\n"
    "  cavs eval listops.cavs                          how well it does on what it has not seen\n"
    "  echo '[MAX 2 9 [MIN 4 7] 0]' | cavs predict listops.cavs --tree\n"
    "  cavs inspect tree-lstm                          what it computes, forward and backward\n"
    "\n"
    "'cavs COMMAND --help' explains a command.";

/// Everything but results goes to standard error.
void start_log() {
  auto log = std::make_shared<spdlog::logger>("cavs", std::make_shared<spdlog::sinks::stderr_sink_st>());
  log->set_pattern("cavs: %v");
  spdlog::set_default_logger(log);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string unexpected(const CLI::App& app, const std::string& argument) {
  if (!argument.starts_with("-")) return fmt::format("unexpected argument '{}'", argument);
  const std::string name = argument.substr(0, argument.find('='));
  return fmt::format("unknown option '{}'; {}", name, suggest(name, option_names(app)));
}

/// The command that was given, with nothing left over.
CLI::App& chosen_command(CLI::App& app) {
  std::vector<std::string> names;
  for (const Command& command : all_commands()) names.emplace_back(command.name);
  const auto chosen = app.get_subcommands();
  const auto extras = app.remaining();
  if (chosen.empty() && extras.empty()) throw UsageError("no command given; " + suggest("", names));
  if (chosen.empty() && !extras.front().starts_with("-"))
    throw UsageError(fmt::format("unknown command '{}'; {}", extras.front(), suggest(extras.front(), names)));
  if (chosen.empty()) throw UsageError(unexpected(app, extras.front()));
  const auto rest = chosen.front()->remaining();
  if (!rest.empty()) throw UsageError(unexpected(*chosen.front(), rest.front()));
  if (!extras.empty()) throw UsageError(unexpected(app, extras.front()));
  return *chosen.front();
}

int run(int argc, char** argv) {
  CLI::App app{"Trains and runs dynamic neural networks: one vertex function, any input graph.\n", "cavs"};
  app.formatter(std::make_shared<Formatter>());
  app.set_help_flag("-h,--help", "Print this help");
  app.set_version_flag("--version", "cavs " CAVS_VERSION, "Print the version");
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.footer(kFooter);
  app.allow_extras();
  std::map<const CLI::App*, Action> actions;
  for (const Command& command : all_commands()) {
    CLI::App* part = app.add_subcommand(std::string(command.name), std::string(command.doc))->group("Commands");
    part->allow_extras();
    actions[part] = command.declare(*part);
  }
  std::string place = "cavs";
  try {
    app.parse(argc, argv);
    if (!app.get_subcommands().empty()) place += " " + app.get_subcommands().front()->get_name();
    actions.at (&chosen_command(app))();
    return kDone;
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& e) {
    if (!app.get_subcommands().empty()) place += " " + app.get_subcommands().front()->get_name();
    spdlog::error("{}\nrun '{} --help' for its options", e.what(), place);
  } catch (const UsageError& e) {
    spdlog::error("{}\nrun '{} --help' for its options", e.what(), place);
  }
  return kWrongUse;
}

int guarded_run(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const UserError& e) {
    spdlog::error("error: {}", e.what());
  } catch (const std::bad_alloc&) {
    spdlog::error("error: out of memory; try fewer samples (--limit), a smaller --batch-size or --hidden");
  } catch (const std::exception& e) {
    spdlog::error("error: {}", e.what());
  }
  return kFailed;
}

}  // namespace
}  // namespace cavs::cli

int main(int argc, char** argv) {
  cavs::cli::start_log();
  const int code = cavs::cli::guarded_run(argc, argv);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  spdlog::error("error: cannot write to standard output: the disk is full or it is closed");
  return code == 0 ? 1 : code;
}
