#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cavs::cli {

inline constexpr const char* kExitCodes =
    "0 success; 1 failure (a file, the data, memory, a loss that is not finite); 2 wrong use of the command line";

/// Runs a command with its parsed options. @throws UserError if the command fails.
using Action = std::function<void()>;

/// A command. A new command is one file and one line in the list.
struct Command {
  std::string_view name;
  std::string_view doc;
  Action (*declare)(CLI::App& app);  // adds the command's options; returns the action, which uses the parsed values
  std::string_view group;
};

std::span<const Command> all_commands();

Action declare_train(CLI::App& app);
Action declare_eval(CLI::App& app);
Action declare_predict(CLI::App& app);
Action declare_data(CLI::App& app);
Action declare_inspect(CLI::App& app);
Action declare_schedule(CLI::App& app);
Action declare_learn_policy(CLI::App& app);
Action declare_bench(CLI::App& app);
Action declare_ops(CLI::App& app);
Action declare_models(CLI::App& app);
Action declare_completion(CLI::App& app);

std::vector<std::string> command_names();

}  // namespace cavs::cli
