#include <fmt/format.h>

#include "cli/completion.h"

namespace cavs::cli {
namespace {

/// The beginning of a description, in single quotes.
std::string fish_doc(const std::string& doc) {
  return "'" + CLI::detail::find_and_replace(brief(doc), "'", "\\'") + "'";
}

/// What the shell asks before it offers something for a command ("": before there is one).
std::string when(const std::string& command) {
  return command.empty() ? "__fish_use_subcommand" : fmt::format("'__fish_seen_subcommand_from {}'", command);
}

/// Whether a value follows, and which ones there are.
std::string fish_values(const OptionInfo& option) {
  const bool files = option.kind == OptionInfo::Kind::kFile || any_goes_on(option.choices);
  std::string text = option.argument ? (files ? " -F" : "") : files ? " -r -F" : " -x";
  if (!option.choices.empty()) text += fmt::format(" -a '{}'", join_words(option.choices));
  return text;
}

std::string fish_option(const std::string& command, const OptionInfo& option) {
  std::string text = "complete -c cavs -n " + when(command);
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.kind != OptionInfo::Kind::kFlag) text += fish_values(option);
  return text + fmt::format(" -d {}\n", fish_doc(option.option->get_description()));
}

std::string fish_options(const std::string& command, CLI::App& app) {
  std::string text;
  for (const OptionInfo& option : options_of(app))
    text += option.argument ? fmt::format("complete -c cavs -n {}{}\n", when(command), fish_values(option))
                            : fish_option(command, option);
  return text;
}

}  // namespace

std::string fish_completion(CLI::App& cavs) {
  std::string text = "# fish completion for cavs, made by 'cavs completion fish'\n\ncomplete -c cavs -f\n";
  text += fish_options("", cavs);
  for (CLI::App* command : commands_of(cavs))
    text += fmt::format("\ncomplete -c cavs -n {} -a {} -d {}\n", when(""), command->get_name(),
                        fish_doc(command->get_description())) +
            fish_options(command->get_name(), *command);
  return text;
}

}  // namespace cavs::cli
