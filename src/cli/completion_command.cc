#include <fmt/format.h>

#include <memory>
#include <sstream>

#include "cli/commands.h"
#include "cli/validators.h"

namespace cavs::cli {
namespace {

// If cavs prints no completion, bash completes file names. Bash treats the text after ':' or '=' as another word.
constexpr const char* kScript = R"(# Completion for cavs, as 'cavs completion' prints it.
_cavs() {
  local IFS=$'\n'
  COMPREPLY=($(cavs completion "${COMP_LINE:0:COMP_POINT}" 2>/dev/null))
  if [[ ${COMPREPLY[*]} == *: ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _cavs cavs
)";

constexpr const char* kCompletionFooter =
    "An installed cavs has this script where bash finds it.\n\nExamples:\n"
    "  $ source <(cavs completion)             in ~/.bashrc\n"
    "  $ cavs completion 'cavs train --opt'    what the script runs";

/// Returns the option with this name; null if it takes no value or does not exist.
CLI::Option* valued_option(CLI::App& part, const std::string& name) {
  CLI::Option* found = part.get_option_no_throw(name);
  return found != nullptr && found->get_items_expected_max() > 0 ? found : nullptr;
}

/// Returns candidates for a word of a command that begins with `begin` and follows `arguments` positional arguments.
std::vector<std::string> words_of(CLI::App& part, const std::string& begin, std::size_t arguments) {
  std::vector<std::string> options;
  std::vector<CLI::Option*> expected;
  for (CLI::Option* each : part.get_options([](const CLI::Option*) { return true; })) {
    for (const std::string& name : each->get_lnames()) options.push_back("--" + name);
    if (each->get_positional()) expected.push_back(each);
  }
  if (begin.starts_with('-')) return options;
  if (part.get_parent() == nullptr) return command_names();
  return arguments < expected.size() ? choices_of(*expected[arguments]) : options;
}

/// Returns candidates for the last word of a line, or for the value after its '='; empty if there are none.
std::vector<std::string> completions(CLI::App& cavs, const std::string& line) {
  CLI::App* part = &cavs;
  CLI::Option* valued = nullptr;  // the option whose value is the next word
  std::size_t arguments = 0;
  std::istringstream words(line);
  std::string word;
  words >> word;  // skips "cavs"
  for (word.clear(); words >> word && !words.eof(); word.clear()) {
    if (valued != nullptr)
      valued = nullptr;
    else if (word.starts_with('-'))
      valued = valued_option(*part, word);
    else if (part == &cavs)
      part = cavs.get_subcommand(word);
    else
      ++arguments;
  }
  if (const auto equals = word.find('='); word.starts_with("--") && equals != word.npos) {
    valued = part->get_option(word.substr(0, equals));
    word.erase(0, equals + 1);
  }
  if (word.find(':') != word.npos) return {};  // the rest is a file name, as in trees:FILE
  const bool list = valued != nullptr && valued->get_delimiter() == ',';
  const std::string before = list ? word.substr(0, word.rfind(',') + 1) : "";
  std::vector<std::string> found;
  for (const std::string& each : valued != nullptr ? choices_of(*valued) : words_of(*part, word, arguments))
    if ((before + each).starts_with(word)) found.push_back(before + each);
  return found;
}

}  // namespace

Action declare_completion(CLI::App& app) {
  auto line = std::make_shared<std::string>();
  app.add_option("LINE", *line, "Print the candidates that complete this command line, instead of the script")
      ->type_name("");
  app.footer(kCompletionFooter);
  return [line, &app] {
    if (line->empty()) return fmt::print("{}", kScript);
    for (const std::string& each : completions(*app.get_parent(), *line)) fmt::print("{}\n", each);
  };
}

}  // namespace cavs::cli
