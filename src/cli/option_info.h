#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cavs::cli {

/// What an option's declaration says of it, for everything that is made from declarations: files of options,
/// completion, manual pages.
struct OptionInfo {
  enum class Kind { kFlag, kNumber, kText, kNumberOrText, kFile };

  CLI::Option* option = nullptr;
  std::string key;                 // in a file of options: "batch-size"; of an argument "model"
  std::vector<std::string> names;  // "-o", "--output"; of an argument "MODEL"
  Kind kind = Kind::kText;
  std::string value;                 // what --help calls it: "N"; "" of a flag
  std::vector<std::string> choices;  // values that are known; one that ends in ':' goes on, with the name of a file
  bool argument = false, list = false;

  const std::string& long_name() const { return names.back(); }
};

/// In the order of their declaration, --help included.
std::vector<OptionInfo> options_of(CLI::App& command);

/// What has a key in a file of options.
std::vector<OptionInfo> configurable_options_of(CLI::App& command);

/// The options, or the arguments, of these.
std::vector<OptionInfo> select(std::vector<OptionInfo> options, bool arguments);

}  // namespace cavs::cli
