#include "cli/toml.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "data/text.h"
#include "support/check.h"
#include "support/file.h"

namespace cavs::cli {
namespace {

using TomlValue = nlohmann::json;

std::string_view without_comment(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '"' && c == '\\') {
      ++i;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      return line.substr(0, i);
    }
  }
  return line;
}

bool is_bare_key(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

bool is_one_value(const TomlValue& value) {
  return value.is_number() ||
         (value.is_string() && value.get_ref<const std::string&>().find('\0') == std::string::npos);
}

bool is_literal_text(std::string_view text) {
  return text.size() > 1 && text.front() == '\'' && text.find('\'', 1) == text.size() - 1;
}

/// Text, numbers, booleans and arrays on one line are written as JSON has them. `discarded` where it is none of these.
TomlValue parse_value(std::string_view text) {
  if (is_literal_text(text)) return std::string(text.substr(1, text.size() - 2));
  TomlValue value = TomlValue::parse(text, nullptr, false);
  const bool good =
      value.is_boolean() || is_one_value(value) || (value.is_array() && std::ranges::all_of(value, is_one_value));
  return good ? value : TomlValue(TomlValue::value_t::discarded);
}

/// Reads lines one after the other.
class TomlReader {
 public:
  explicit TomlReader(const std::string& path) : path_(path) {}

  void read(std::string_view line) {
    ++line_;
    const std::string text = CLI::detail::trim_copy(std::string(without_comment(line)));
    if (text.empty()) return;
    if (text.front() == '[')
      begin_section(text);
    else
      read_entry(text);
  }
  std::vector<TomlEntry> entries;

 private:
  void begin_section(const std::string& text) {
    section_ = text.substr(1, text.size() - 2);
    user_check(text.back() == ']' && is_bare_key(section_),
               "{}:{}: expected the name of a command in brackets, such as [train], found '{}'", path_, line_, text);
    add({line_, section_, "", true}, text);
  }

  void read_entry(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string key = CLI::detail::trim_copy(text.substr(0, equals));
    user_check(equals != text.npos && is_bare_key(key),
               "{}:{}: expected an option without its hyphens and a value, such as hidden = 64, found '{}'", path_,
               line_, text);
    const std::string value = CLI::detail::trim_copy(text.substr(equals + 1));
    add({line_, section_, key, parse_value(value)}, value);
  }

  void add(TomlEntry entry, const std::string& text) {
    user_check(
        !entry.value.is_discarded(),
        "{}:{}: {}: expected, on one line, text in quotes, a number, true, false, or a list of these in brackets, "
        "found '{}'",
        path_, line_, entry.key, text);
    const auto [before, fresh] = lines_.try_emplace({entry.section, entry.key}, line_);
    user_check(fresh, "{}:{}: '{}' is there already, in line {}; leave one out", path_, line_,
               entry.key.empty() ? text : entry.key, before->second);
    entries.push_back(std::move(entry));
  }

  const std::string& path_;
  int line_ = 0;
  std::string section_;
  std::map<std::pair<std::string, std::string>, int> lines_;
};

}  // namespace

std::vector<TomlEntry> parse_toml(std::string_view text, const std::string& path) {
  const std::size_t bad = find_invalid_utf8(text);
  user_check(bad == text.npos && text.find('\0') == text.npos,
             "{}: expected a text file of options (TOML, UTF-8), found {}", path, describe_file(text));
  TomlReader reader(path);
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) reader.read(line);
  return std::move(reader.entries);
}

std::string toml_text(const std::string& text) {
  user_check(find_invalid_utf8(text) == text.npos, "a file of options is UTF-8, and '{}' is not; rename the file",
             TomlValue(text).dump(-1, ' ', false, TomlValue::error_handler_t::replace));
  return TomlValue(text).dump();
}

}  // namespace cavs::cli
