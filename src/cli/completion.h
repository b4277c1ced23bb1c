#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option_info.h"

namespace cavs::cli {

/// A shell: one file that writes its script, and one line in the list.
struct Shell {
  std::string_view name;
  /// What the shell reads to complete commands, options, the values that declarations know, and names of files.
  std::string (*script)(CLI::App& cavs);
};

std::string bash_completion(CLI::App& cavs);
std::string zsh_completion(CLI::App& cavs);
std::string fish_completion(CLI::App& cavs);

// What the scripts share.

std::vector<CLI::App*> commands_of(CLI::App& cavs);
/// The beginning of a description, for a list beside the command line.
std::string brief(const std::string& doc);
std::string join_words(const std::vector<std::string>& words);
/// Known values that go on with the name of a file, as "trees:" does.
bool any_goes_on(const std::vector<std::string>& choices);

}  // namespace cavs::cli
