#include "cli/config_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cavs/files.h"
#include "cli/usage_error.h"
#include "cli/validators.h"
#include "support/check.h"
#include "support/suggest.h"
#include "support/utf8.h"

namespace cavs::cli {
namespace {

/// Maximum length of a file. A key "a.a.a ..." of n bytes makes n / 2 nested tables, which toml++ frees by recursion.
/// At this length, recursion needs at most half of a stack of 8 MiB.
constexpr std::size_t kMostConfigBytes = 1 << 14;

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }
bool is_list(const CLI::Option& option) { return option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll; }

/// Returns the options of a command by key.
std::map<std::string, CLI::Option*> options_of(CLI::App& command) {
  std::map<std::string, CLI::Option*> options;
  for (CLI::Option* each : command.get_options([](const CLI::Option* any) { return any->get_configurable(); }))
    options[CLI::detail::to_lower(each->get_single_name())] = each;
  return options;
}

std::vector<std::string> keys_of(const auto& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

/// Returns the value as it is written on a command line; "" if it cannot be written there.
std::string text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get().find('\0') == std::string::npos ? text->get() : "";
  if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  return node.is_boolean() ? "true" : "";  // a flag that is false counts as not given
}

/// Adds the entries of a file to the results of CLI11.
class ConfigReader {
 public:
  ConfigReader(CLI::App& command, const std::string& path) : command_(command), path_(path) {
    for (CLI::App* each : command.get_parent()->get_subcommands([](const CLI::App*) { return true; }))
      if (each->get_option_no_throw("--config") != nullptr) commands_[each->get_name()] = each;
  }

  void read() const {
    const std::vector<std::byte> bytes = read_file(path_, kMostConfigBytes, "a file of options (TOML)");
    try {
      read(toml::parse(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())));
    } catch (const toml::parse_error& error) {
      fail(error.source(),
           "invalid TOML: {}; expected a section such as [train], or an option and its value, such as hidden = 64, "
           "data = \"listops\" or overwrite = true",
           error.description());
    }
  }

 private:
  template <typename... Parts>
  [[noreturn]] void fail(const toml::source_region& at, fmt::format_string<Parts...> text, Parts&&... parts) const {
    const std::string message = fmt::format(text, std::forward<Parts>(parts)...);
    throw UsageError(command_.get_name(), fmt::format("{}:{}: {}", path_, at.begin.line, message));
  }

  void read(const toml::table& file) const {
    for (const auto& [name, node] : file)
      if (const toml::table* section = node.as_table()) {
        const auto found = commands_.find(std::string(name.str()));
        if (found == commands_.end())
          fail(name.source(), "unknown section '{}'; {}", name.str(), suggest(std::string(name), keys_of(commands_)));
        for (const auto& [key, value] : *section) set(*found->second, key, value);
      }
    for (const auto& [key, value] : file)
      if (!value.is_table() && !file[command_.get_name()][key]) set(command_, key, value);
  }

  CLI::Option& find(CLI::App& command, const toml::key& key) const {
    const auto options = options_of(command);
    if (const auto found = options.find(std::string(key)); found != options.end()) return *found->second;
    std::string having;
    for (const auto& [name, each] : commands_)
      if (options_of(*each).contains(std::string(key)))
        having += (having.empty() ? "; it belongs under [" : ", [") + name + "]";
    fail(key.source(), "'cavs {}' has no option '{}'; {}{}", command.get_name(), key.str(),
         suggest(std::string(key), keys_of(options)), having);
  }

  std::string value_of(const CLI::Option& option, const toml::key& key, const toml::node& node) const {
    std::ostringstream found;
    found << toml::toml_formatter(node);
    if (text_of(node).empty() || node.is_boolean() != is_flag(option))
      fail(node.source(), "{}: expected {}, found {}", key.str(),
           is_flag(option) ? "true or false" : "a number or non-empty text in quotes", found.str());
    return text_of(node);
  }

  void set(CLI::App& command, const toml::key& key, const toml::node& node) const {
    CLI::Option& option = find(command, key);
    std::vector<std::string> values;
    if (const toml::array* list = node.as_array(); list != nullptr && is_list(option))
      for (const toml::node& each : *list) values.push_back(value_of(option, key, each));
    else
      values.push_back(value_of(option, key, node));
    // A flag that is false, or that belongs to another command, is checked but has no effect.
    const bool says_nothing = is_flag(option) && (!node.ref<bool>() || &command != &command_);
    if (!option.empty() || values.empty() || says_nothing) return;
    for (const std::string& value : values) option.add_result(value);
    try {
      option.run_callback();
    } catch (const CLI::ParseError& error) {
      fail(node.source(), "{}", error.what());  // its text begins with the option
    }
  }

  CLI::App& command_;
  const std::string& path_;
  std::map<std::string, CLI::App*> commands_;  // by name: commands that may have a section
};

/// Returns the text as a number if TOML reads it back unchanged, else in quotes with the escapes of JSON.
std::string toml_value(const std::string& text) {
  user_check(find_invalid_utf8(text) == text.npos, "a file of options must be UTF-8, but '{}' is not; rename the file",
             text);
  const auto number = nlohmann::json::parse(text, nullptr, false);
  return number.is_number() && fmt::format("{}", number.get<double>()) == text ? text : nlohmann::json(text).dump();
}

}  // namespace

void add_config(CLI::App& app, Options& options) {
  const auto read = [&app, &options](const std::string& path) { ConfigReader(app, options.config = path).read(); };
  app.add_option_function<std::string>("--config", read,
                                       "Read options that are not given from a TOML file, as printed by --print-config")
      ->type_name("FILE")
      ->check(file_name())
      ->configurable(false);
}

std::string config_text(CLI::App& command) {
  std::string text =
      fmt::format("# Options of 'cavs {0} --config FILE'. Options that are missing have their defaults.\n[{0}]\n",
                  command.get_name());
  for (const auto& [key, option] : options_of(command)) {
    std::vector<std::string> values = option->reduced_results();
    if (values.empty()) values = {option->get_default_str()};
    for (std::string& value : values) value = toml_value(value);
    if (is_flag(*option))
      text += fmt::format("{} = {}\n", key, !option->empty() && option->as<bool>());
    else if (values.front() != "\"\"")
      text += fmt::format(fmt::runtime(is_list(*option) ? "{} = [{}]\n" : "{} = {}\n"), key, fmt::join(values, ", "));
  }
  return text;
}

}  // namespace cavs::cli
