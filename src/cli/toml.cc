#include "cli/toml.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>
#include <utility>

#include "data/text.h"
#include "support/check.h"
#include "support/file.h"

namespace cavs::cli {
namespace {

using TomlValue = nlohmann::json;

bool is_bare_key(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

/// null for what no option takes.
TomlValue scalar(const toml::node& node) {
  if (const auto* boolean = node.as_boolean()) return boolean->get();
  if (const auto* integer = node.as_integer()) return integer->get();
  if (const auto* number = node.as_floating_point())
    return std::isfinite(number->get()) ? TomlValue(number->get()) : TomlValue();
  if (const auto* text = node.as_string())
    return text->get().find('\0') == std::string::npos ? TomlValue(text->get()) : TomlValue();
  return nullptr;
}

/// What a value is of which `scalar` makes nothing.
const char* refused(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "a list in a list";
  if (node.is_floating_point()) return "a number that is not finite";
  return node.is_string() ? "text with a null character" : "a date or a time";
}

/// Lists the entries of what the library has parsed.
class TomlReader {
 public:
  explicit TomlReader(const std::string& path) : path_(path) {}

  std::vector<TomlEntry> read(const toml::table& file) {
    for (const auto& [key, node] : file)
      if (const toml::table* table = node.as_table(); table != nullptr && !table->is_inline())
        read_section(key, *table);
      else
        read_entry("", key, node);
    std::ranges::stable_sort(entries_, {}, &TomlEntry::line);  // the library has sorted them by name
    return std::move(entries_);
  }

 private:
  static int line_of(const toml::source_region& source) { return static_cast<int>(source.begin.line); }

  void read_section(const toml::key& name, const toml::table& section) {
    begin(std::string(name.str()), "", name);
    for (const auto& [key, node] : section) read_entry(std::string(name.str()), key, node);
  }

  void read_entry(const std::string& section, const toml::key& key, const toml::node& node) {
    begin(section, std::string(key.str()), key).value = value(key, node);
  }

  TomlEntry& begin(const std::string& section, const std::string& key, const toml::key& name) {
    const int line = line_of(name.source());
    user_check(is_bare_key(name.str()),
               "{}:{}: expected the name of a command or an option, of letters, digits and hyphens, found {}", path_,
               line, TomlValue(name.str()).dump());
    return entries_.emplace_back(TomlEntry{line, section, key, nullptr});
  }

  TomlValue value(const toml::key& key, const toml::node& node) const {
    const toml::array* list = node.as_array();
    if (list == nullptr) return one_value(key, node);
    TomlValue values = TomlValue::array();
    for (const toml::node& each : *list) values.push_back(one_value(key, each));
    return values;
  }

  TomlValue one_value(const toml::key& key, const toml::node& node) const {
    TomlValue value = scalar(node);
    user_check(!value.is_null(),
               "{}:{}: {}: expected text in quotes, a number, true, false, or a list of these, found {}", path_,
               line_of(node.source()), key.str(), refused(node));
    return value;
  }

  const std::string& path_;
  std::vector<TomlEntry> entries_;
};

/// A line of the text, counted from 1.
std::string line_text(std::string_view text, std::size_t line) {
  std::istringstream lines{std::string(text)};
  std::string found;
  for (std::size_t i = 0; i < line; ++i) std::getline(lines, found);
  return CLI::detail::trim_copy(found);
}

[[noreturn]] void refuse(const toml::parse_error& error, std::string_view text, const std::string& path) {
  std::string message(error.description());
  message.front() = static_cast<char>(std::tolower(message.front()));
  const auto line = error.source().begin.line;
  user_error(
      "{}:{}: {}, in '{}'; expected a section such as [train], or an option without its hyphens and a value, such "
      "as hidden = 64, data = \"listops\" or overwrite = true",
      path, line, message, line_text(text, line));
}

}  // namespace

std::vector<TomlEntry> parse_toml(std::string_view text, const std::string& path) {
  const std::size_t bad = find_invalid_utf8(text);
  user_check(bad == text.npos && text.find('\0') == text.npos,
             "{}: expected a text file of options (TOML, UTF-8), found {}", path, describe_file(text));
  try {
    return TomlReader(path).read(toml::parse(text));
  } catch (const toml::parse_error& error) {
    refuse(error, text, path);
  }
}

std::string toml_text(const std::string& text) {
  user_check(find_invalid_utf8(text) == text.npos, "a file of options is UTF-8, and '{}' is not; rename the file",
             TomlValue(text).dump(-1, ' ', false, TomlValue::error_handler_t::replace));
  std::ostringstream quoted;
  const toml::value<std::string> value(text);
  quoted << toml::toml_formatter(value, toml::format_flags::allow_unicode_strings);
  return quoted.str();
}

}  // namespace cavs::cli
