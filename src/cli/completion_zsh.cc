#include <fmt/format.h>

#include "cli/completion.h"

namespace cavs::cli {
namespace {

constexpr const char* kZshBegin = R"(#compdef cavs
# zsh completion for cavs, made by 'cavs completion zsh'

# Values of which some go on with the name of a file: trees:FILE.
_cavs_open_values() {
  if compset -P '*:'; then
    _files
  else
    local -a whole open
    whole=(${@:#*:})
    open=(${(M)@:#*:})
    compadd -a whole
    compadd -S '' -a open
  fi
}

_cavs() {
  local curcontext=$curcontext state line
  local -a commands
  typeset -A opt_args
)";

constexpr const char* kZshEnd = R"(      esac
      ;;
  esac
}

if [[ $funcstack[1] == _cavs ]]; then
  _cavs "$@"
else
  compdef _cavs cavs
fi
)";

/// Text within brackets or before a colon, in single quotes.
std::string zsh_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("[]:\\").find(c) != std::string_view::npos) out += '\\';
    out += c == '\'' ? R"('\'')" : std::string(1, c);
  }
  return out;
}

/// ":FILE:_files": what a value is called, and what completes it.
std::string zsh_action(const OptionInfo& option) {
  if (option.kind == OptionInfo::Kind::kFlag) return "";
  std::string action;
  const bool files = option.kind == OptionInfo::Kind::kFile;
  if (any_goes_on(option.choices))
    action = "_cavs_open_values " + zsh_escaped(join_words(option.choices));
  else if (option.list && !option.choices.empty())
    action = "_values -s , value " + join_words(option.choices);
  else if (files && !option.choices.empty())
    action = fmt::format(R"z(_alternative "names\:name\:({})" "files\:file\:_files")z", join_words(option.choices));
  else if (files)
    action = "_files";
  else if (!option.choices.empty())
    action = fmt::format("({})", join_words(option.choices));
  return fmt::format(":{}:{}", zsh_escaped(option.value), action);
}

std::string zsh_option(const OptionInfo& option) {
  const std::string doc = zsh_escaped(brief(option.option->get_description()));
  const bool valued = option.kind != OptionInfo::Kind::kFlag;
  std::string text;
  for (const std::string& name : option.names) {
    const char* value = !valued ? "" : name.starts_with("--") ? "=" : "+";
    text +=
        fmt::format(" \\\n            '{}{}{}[{}]{}'", option.list ? "*" : "", name, value, doc, zsh_action(option));
  }
  return text;
}

std::string zsh_arguments(const std::vector<OptionInfo>& options) {
  std::string text;
  for (const OptionInfo& option : select(options, false)) text += zsh_option(option);
  int place = 0;
  for (const OptionInfo& argument : select(options, true))
    text += fmt::format(" \\\n            '{}{}'", ++place, zsh_action(argument));
  return text;
}

}  // namespace

std::string zsh_completion(CLI::App& cavs) {
  std::string commands, branches;
  for (CLI::App* command : commands_of(cavs)) {
    commands += fmt::format("    '{}:{}'\n", command->get_name(), zsh_escaped(brief(command->get_description())));
    branches += fmt::format("        {})\n          _arguments{}\n          ;;\n", command->get_name(),
                            zsh_arguments(options_of(*command)));
  }
  return kZshBegin + fmt::format("  commands=(\n{}  )\n", commands) +
         fmt::format("  _arguments -C{} \\\n            '1: :->command' '*:: :->argument'\n",
                     zsh_arguments(options_of(cavs))) +
         "  case $state in\n    command) _describe command commands ;;\n    argument)\n      case $words[1] in\n" +
         branches + kZshEnd;
}

}  // namespace cavs::cli
