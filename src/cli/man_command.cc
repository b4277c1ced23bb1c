#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/manual_page.h"
#include "cli/validators.h"

namespace cavs::cli {
namespace {

constexpr const char* kManFooter =
    "An installed cavs has these pages where 'man' looks for them.\n"
    "\n"
    "Examples:\n"
    "  cavs man train | man -l -\n"
    "  cavs man --list                                 the commands that have a page";

}  // namespace

Action declare_man(CLI::App& app) {
  struct Arguments {
    std::string command;
    bool list = false;
  };
  auto arguments = std::make_shared<Arguments>();
  app.add_option("COMMAND", arguments->command, "A command; without it, cavs itself")
      ->type_name("")
      ->check(one_of("command", command_names()));
  app.add_flag("--list", arguments->list, "Print the names of the commands instead, a line each");
  app.footer(kManFooter);
  return [arguments, &app] {
    CLI::App& cavs = *app.get_parent();
    if (arguments->list) return fmt::print("{}\n", CLI::detail::join(command_names(), "\n"));
    fmt::print("{}", manual_page(arguments->command.empty() ? cavs : *cavs.get_subcommand(arguments->command)));
  };
}

}  // namespace cavs::cli
