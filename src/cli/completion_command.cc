#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/validators.h"

namespace cavs::cli {
namespace {

constexpr std::array kShells{Shell{"bash", bash_completion}, Shell{"zsh", zsh_completion},
                             Shell{"fish", fish_completion}};

constexpr const char* kCompletionFooter =
    "An installed cavs has these scripts where shells look for them. Otherwise:\n"
    "\n"
    "Examples:\n"
    "  source <(cavs completion bash)                             in ~/.bashrc\n"
    "  cavs completion zsh >~/.zfunc/_cavs                        a folder of $fpath, before compinit\n"
    "  cavs completion fish >~/.config/fish/completions/cavs.fish";

}  // namespace

std::vector<CLI::App*> commands_of(CLI::App& cavs) {
  return cavs.get_subcommands([](const CLI::App*) { return true; });
}

std::string brief(const std::string& doc) {
  constexpr std::size_t kLongest = 72;
  const std::string text = doc.substr(0, std::min({doc.find(';'), doc.find(" ("), doc.find(": ")}));
  return text.size() <= kLongest ? text : text.substr(0, text.rfind(' ', kLongest)) + " ...";
}

std::string join_words(const std::vector<std::string>& words) { return CLI::detail::join(words, " "); }

bool any_goes_on(const std::vector<std::string>& choices) {
  return std::ranges::any_of(choices, [](const std::string& choice) { return choice.ends_with(':'); });
}

Action declare_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  app.add_option("SHELL", *shell, "bash, zsh or fish")
      ->type_name("")
      ->required()
      ->check(one_of("shell", names_of(kShells)));
  app.footer(kCompletionFooter);
  return
      [shell, &app] { fmt::print("{}", std::ranges::find(kShells, *shell, &Shell::name)->script(*app.get_parent())); };
}

}  // namespace cavs::cli
