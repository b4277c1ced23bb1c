#include <fmt/format.h>

#include "cli/completion.h"

namespace cavs::cli {
namespace {

// bash takes '=' and ':' for words of their own, so "--save=F" comes as three words, and so does "trees:F".
constexpr const char* kBashBody = R"(
_cavs() {
  local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} command='' given=0 i
  local options='' valued='' arguments='' argument_files='' values='' files=''
  COMPREPLY=()
  _cavs_command ''
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
      : | =) ((++i)) ;;
      -*)
        if [[ $valued == *" ${COMP_WORDS[i]} "* ]]; then
          [[ ${COMP_WORDS[i+1]} == = ]] && ((++i))
          ((++i))
        fi
        ;;
      *)
        if [[ -z $command ]]; then
          command=${COMP_WORDS[i]}
          _cavs_command "$command"
        else
          ((++given))
        fi
        ;;
    esac
  done
  [[ $option == = ]] && option=${COMP_WORDS[COMP_CWORD-2]}
  [[ $word == = ]] && word=''
  if [[ $word == : || $option == : || ( ${COMP_WORDS[COMP_CWORD-1]} == = && $option != -* ) ]]; then
    [[ $word == : ]] && word=''
    files=yes
  elif [[ $option == -* && $valued == *" $option "* ]]; then
    _cavs_values "$command $option"
  elif [[ $word == -* || ( -n $command && $given -gt 0 ) || -z $arguments$argument_files ]]; then
    values=$options
  else
    values=$arguments files=$argument_files
  fi
  local begun=''
  [[ $word == *,* ]] && begun=${word%,*},
  [[ -n $values ]] && COMPREPLY=($(compgen -P "$begun" -W "$values" -- "${word##*,}"))
  if [[ -n $files ]]; then
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -f -- "$word"))
  fi
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]]; then compopt -o nospace 2>/dev/null; fi
  return 0
}
complete -F _cavs cavs
)";

/// The names of options, or of those that take a value.
std::string names_of_options(const std::vector<OptionInfo>& options, bool valued) {
  std::string text;
  for (const OptionInfo& option : options)
    for (const std::string& name : option.names)
      if (!valued || option.kind != OptionInfo::Kind::kFlag) text += (text.empty() ? "" : " ") + name;
  return text;
}

/// A branch that says what a command has.
std::string bash_command(const std::string& name, const std::vector<OptionInfo>& all, const std::string& arguments,
                         bool files) {
  const auto options = select(all, false);
  return fmt::format(
      "    {})\n      options='{}'\n      valued=' {} '\n      arguments='{}' argument_files={}\n      ;;\n",
      name.empty() ? "''" : name, names_of_options(options, false), names_of_options(options, true), arguments,
      files ? "yes" : "''");
}

/// A branch that says what an option takes; "" where nothing is known.
std::string bash_values(const std::string& command, const OptionInfo& option) {
  const bool files = option.kind == OptionInfo::Kind::kFile;
  if (option.choices.empty() && !files) return "";
  std::string names;
  for (const std::string& name : option.names)
    names += fmt::format("{}'{} {}'", names.empty() ? "" : " | ", command, name);
  return fmt::format("    {}) values='{}' files={} ;;\n", names, join_words(option.choices), files ? "yes" : "''");
}

}  // namespace

std::string bash_completion(CLI::App& cavs) {
  std::vector<std::string> names;
  std::string commands, values;
  for (CLI::App* command : commands_of(cavs)) {
    const auto options = options_of(*command);
    names.push_back(command->get_name());
    std::string choices;
    bool files = false;
    for (const OptionInfo& argument : select(options, true)) {
      choices += (choices.empty() ? "" : " ") + join_words(argument.choices);
      files = files || argument.kind == OptionInfo::Kind::kFile;
    }
    commands += bash_command(command->get_name(), options, choices, files);
    for (const OptionInfo& option : select(options, false)) values += bash_values(command->get_name(), option);
  }
  return "# bash completion for cavs, made by 'cavs completion bash'\n\n_cavs_command() {\n  case $1 in\n" +
         bash_command("", options_of(cavs), join_words(names), false) + commands +
         "  esac\n}\n\n_cavs_values() {\n  case $1 in\n" + values + "  esac\n}\n" + kBashBody;
}

}  // namespace cavs::cli
