#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cavs::cli {

/// An entry of a TOML file: `key = value`, or without a key and a value the beginning of `[section]`.
struct TomlEntry {
  int line = 0;              // of the key
  std::string section, key;  // section: "" before the first [section]
  nlohmann::json value;      // text, a number, a boolean, or an array of these; null: a section begins
};

/// A key "a.a.a ..." nests tables half as deep as it is long, and the library frees them by recursion. Of this length
/// it needs at most half of a stack of 8 MiB; of four times the length the program crashes.
inline constexpr std::size_t kMostTomlBytes = 1 << 14;

/// Reads TOML 1.0, of which options need text, finite numbers, booleans and lists of these, at the top or in a
/// [section]. What else TOML has (dates, tables in tables) is refused. In the order of the file.
///
/// `text` has at most kMostTomlBytes. @throws UserError with the line: "run.toml:3: ...".
std::vector<TomlEntry> parse_toml(std::string_view text, const std::string& path);

/// Text in quotes. @throws UserError if it is not UTF-8, as TOML has to be.
std::string toml_text(const std::string& text);

}  // namespace cavs::cli
