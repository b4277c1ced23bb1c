#include "cli/option_info.h"

#include <algorithm>
#include <sstream>

#include "cli/validators.h"

namespace cavs::cli {
namespace {

using Kind = OptionInfo::Kind;

/// The name of the first validator: "text adam sgd".
std::string validator_name(CLI::Option& option) {
  try {
    return option.get_validator(0)->get_name();
  } catch (const CLI::OptionNotFound&) {
    return "";
  }
}

Kind kind_of(const CLI::Option& option, const std::string& kind) {
  if (option.get_items_expected_max() == 0) return Kind::kFlag;
  if (kind == kNumberValue) return Kind::kNumber;
  if (kind == kNumberOrTextValue) return Kind::kNumberOrText;
  return kind == kFileValue ? Kind::kFile : Kind::kText;
}

OptionInfo option_info(CLI::Option& option) {
  OptionInfo info;
  info.option = &option;
  info.key = CLI::detail::to_lower(option.get_single_name());
  info.argument = option.get_positional();
  info.list = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  if (info.argument) info.names.push_back(option.get_single_name());
  std::istringstream words(validator_name(option));
  std::string kind;
  words >> kind;
  info.kind = kind_of(option, kind);
  for (std::string choice; words >> choice;) info.choices.push_back(choice);
  if (info.kind != Kind::kFlag) info.value = info.argument ? info.names.back() : option.get_type_name();
  return info;
}

}  // namespace

std::vector<OptionInfo> options_of(CLI::App& command) {
  std::vector<OptionInfo> options;
  for (CLI::Option* option : command.get_options([](const CLI::Option*) { return true; }))
    options.push_back(option_info(*option));
  return options;
}

std::vector<OptionInfo> configurable_options_of(CLI::App& command) {
  std::vector<OptionInfo> options = options_of(command);
  std::erase_if(options, [](const OptionInfo& each) { return !each.option->get_configurable(); });
  return options;
}

std::vector<OptionInfo> select(std::vector<OptionInfo> options, bool arguments) {
  std::erase_if(options, [&](const OptionInfo& each) { return each.argument != arguments; });
  return options;
}

}  // namespace cavs::cli
