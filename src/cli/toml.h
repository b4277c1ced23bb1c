#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cavs::cli {

/// A line of a TOML file: `key = value`, or with an empty key `[section]`.
struct TomlEntry {
  int line = 0;
  std::string section, key;  // section: "" before the first [section]
  nlohmann::json value;      // text, a number, a boolean, or an array of texts and numbers
};

/// Reads what options need of TOML 1.0: comments, [sections], bare keys, and values that take one line: "text" with
/// escapes, 'text' without, decimal numbers, true, false, arrays. Everything else is refused, never read as something
/// else. (The reader of CLI11 cuts text at '#', takes any line for a flag, and does not say where a mistake is.)
/// @throws UserError with the line: "run.toml:3: ...".
std::vector<TomlEntry> parse_toml(std::string_view text, const std::string& path);

/// Text in quotes. @throws UserError if it is not UTF-8, as TOML has to be.
std::string toml_text(const std::string& text);

}  // namespace cavs::cli
