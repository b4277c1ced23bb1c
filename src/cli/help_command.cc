#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/validators.h"

namespace cavs::cli {

Action declare_help(CLI::App& app) {
  auto command = std::make_shared<std::string>();
  app.add_option("COMMAND", *command, "A command; without it, what commands there are")
      ->type_name("")
      ->check(one_of("command", command_names()));
  app.footer("Examples:\n  cavs help\n  cavs help train");
  return [command, &app] {
    const CLI::App& cavs = *app.get_parent();
    const CLI::App& asked = command->empty() ? cavs : *cavs.get_subcommand(*command);
    // CLI11 would print the help of the command that is running, which is this one.
    fmt::print("{}", asked.get_formatter()->make_help(&asked, command->empty() ? "cavs" : "cavs " + *command,
                                                      CLI::AppFormatMode::Normal));
  };
}

}  // namespace cavs::cli
