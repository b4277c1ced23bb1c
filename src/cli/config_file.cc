#include "cli/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "cli/option_info.h"
#include "cli/toml.h"
#include "cli/usage_error.h"
#include "cli/validators.h"
#include "support/check.h"
#include "support/file.h"
#include "support/suggest.h"

namespace cavs::cli {
namespace {

std::string value_text(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// "text \"64\"".
std::string value_description(const nlohmann::json& value) {
  const char* what = value.is_string() ? "text" : value.is_array() ? "list" : value.is_boolean() ? "boolean" : "number";
  return fmt::format("the {} {}", what, value.dump());
}

/// What is wrong with the type of a value; "" where nothing is.
std::string wrong_type(const OptionInfo& option, const nlohmann::json& value) {
  using Kind = OptionInfo::Kind;
  if (value.is_array() && option.list) {
    for (const auto& each : value)
      if (const std::string wrong = wrong_type(option, each); !wrong.empty()) return wrong;
    return "";
  }
  const bool good = option.kind == Kind::kFlag           ? value.is_boolean()
                    : option.kind == Kind::kNumber       ? value.is_number()
                    : option.kind == Kind::kNumberOrText ? value.is_number() || value.is_string()
                                                         : value.is_string();
  if (good) return "";
  const char* expected = option.kind == Kind::kFlag           ? "true or false"
                         : option.kind == Kind::kNumber       ? "a number without quotes"
                         : option.kind == Kind::kNumberOrText ? "a number, or text in quotes"
                                                              : "text in quotes";
  return fmt::format("expected {}{}, found {}", expected, option.list ? ", or a list" : "", value_description(value));
}

/// Puts the entries of a file where CLI11 keeps what it has read.
class ConfigReader {
 public:
  ConfigReader(CLI::App& command, std::string path) : command_(command), path_(std::move(path)) {}

  void read() {
    const std::vector<std::byte> bytes = read_file(path_, kMostTomlBytes, "a file of options (TOML)");
    try {
      auto entries = parse_toml({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path_);
      std::stable_partition(entries.begin(), entries.end(),
                            [](const TomlEntry& entry) { return !entry.section.empty(); });
      for (const TomlEntry& entry : entries) set(entry);
    } catch (const UserError& error) {
      throw UsageError(command_.get_name(), error.what());
    }
  }

 private:
  template <typename... Parts>
  [[noreturn]] void fail(const TomlEntry& entry, fmt::format_string<Parts...> text, Parts&&... parts) const {
    user_error("{}:{}: {}", path_, entry.line, fmt::format(text, std::forward<Parts>(parts)...));
  }

  /// Those that may have a section.
  std::vector<CLI::App*> commands() const {
    return command_.get_parent()->get_subcommands(
        [](const CLI::App* each) { return each->get_option_no_throw("--config") != nullptr; });
  }

  CLI::App& section(const TomlEntry& entry) const {
    if (entry.section.empty()) return command_;
    std::vector<std::string> known;
    for (CLI::App* each : commands()) {
      if (each->get_name() == entry.section) return *each;
      known.push_back(each->get_name());
    }
    fail(entry, "unknown section '{}'; {}", entry.section, suggest(entry.section, known));
  }

  /// " it may stand under [bench], [eval];", or "" where no command has it.
  std::string sections_with(const std::string& key) const {
    std::vector<std::string> having;
    for (const CLI::App* each : commands()) {
      const CLI::Option* option = each->get_option_no_throw("--" + key);
      if (option != nullptr && option->get_configurable()) having.push_back("[" + each->get_name() + "]");
    }
    return having.empty() ? "" : fmt::format(" it may stand under {};", CLI::detail::join(having, ", "));
  }

  OptionInfo find(CLI::App& command, const TomlEntry& entry) const {
    std::vector<std::string> known;
    for (OptionInfo& each : configurable_options_of(command)) {
      if (each.key == entry.key) return std::move(each);
      known.push_back(each.key);
    }
    fail(entry, "'cavs {}' has no option '{}';{} {}", command.get_name(), entry.key, sections_with(entry.key),
         suggest(entry.key, known));
  }

  void set(const TomlEntry& entry) {
    CLI::App& command = section(entry);
    if (entry.value.is_null()) return;
    const OptionInfo info = find(command, entry);
    if (const std::string wrong = wrong_type(info, entry.value); !wrong.empty())
      fail(entry, "{}: {}", entry.key, wrong);
    if (!info.option->empty() || !set_.insert(info.option).second) return;
    // As if it were not given; and a flag of another command says nothing to this one.
    if (entry.value.is_boolean() && (!entry.value.get<bool>() || &command != &command_)) return;
    for (const auto& value : entry.value.is_array() ? entry.value : nlohmann::json::array({entry.value}))
      info.option->add_result(value_text(value));
    convert(entry, *info.option);
  }

  /// Checks the value, too.
  void convert(const TomlEntry& entry, CLI::Option& option) const {
    try {
      if (!option.empty()) option.run_callback();
    } catch (const CLI::ParseError& error) {
      const std::string_view message = error.what();  // "--hidden: expected ..."
      fail(entry, "{}{}", entry.key, message.substr(std::min(message.find(": "), message.size())));
    }
  }

  CLI::App& command_;
  std::string path_;
  std::set<const CLI::Option*> set_;
};

/// ".5", which a command line may have, is "0.5" in TOML.
std::string number_text(const std::string& text) {
  if (nlohmann::json::accept(text)) return text;
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return nlohmann::json(value).dump();
}

std::string one_value_text(const OptionInfo& option, const std::string& value) {
  using Kind = OptionInfo::Kind;
  double number = 0;
  const bool is_number =
      std::from_chars(value.data(), value.data() + value.size(), number).ptr == value.data() + value.size();
  const bool is_text = option.kind == Kind::kText || option.kind == Kind::kFile || !is_number;
  return is_text ? toml_text(value) : number_text(value);
}

/// "" where nothing is known.
std::string entry_text(const OptionInfo& option) {
  if (option.kind == OptionInfo::Kind::kFlag)
    return !option.option->empty() && option.option->as<bool>() ? "true" : "false";
  std::vector<std::string> values = option.option->reduced_results();
  if (values.empty() && !option.option->get_default_str().empty()) values = {option.option->get_default_str()};
  if (values.empty()) return "";
  for (std::string& value : values) value = one_value_text(option, value);
  return option.list ? fmt::format("[{}]", CLI::detail::join(values, ", ")) : values.back();
}

}  // namespace

void add_config(CLI::App& app, Options& options) {
  app.add_option_function<std::string>(
         "--config",
         [&app, &options](const std::string& path) {
           options.config = path;
           ConfigReader(app, path).read();
         },
         "Take options that are not given from a TOML file, such as --print-config writes")
      ->type_name("FILE")
      ->check(file_name())
      ->configurable(false);
}

void add_print_config(CLI::App& app, bool& value) {
  app.add_flag("--print-config", value, "Print the options as a file for --config, and do nothing else")
      ->configurable(false);
}

std::string config_text(CLI::App& command) {
  std::string text = fmt::format("# 'cavs {} --config FILE' runs this; what is not here has its default.\n[{}]\n",
                                 command.get_name(), command.get_name());
  for (const std::string& group : command.get_groups()) {
    std::string entries;
    for (const OptionInfo& option : configurable_options_of(command))
      if (const std::string value = entry_text(option); option.option->get_group() == group && !value.empty())
        entries += fmt::format("{} = {}\n", option.key, value);
    if (!entries.empty()) text += fmt::format("\n# {}\n{}", group, entries);
  }
  return text;
}

}  // namespace cavs::cli
