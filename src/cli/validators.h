#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cavs::cli {

// Validators of option values. CLI11 puts the name of the option before a message, as in
// "--hidden: expected an integer from 1 to 65536, found 'abc'".
//
// The name of a validator lists the values that completion offers, as in "adam sgd". A value that ends in ':' continues
// with the name of a file.

/// Returns the values that completion offers for an option; empty if none are known.
std::vector<std::string> choices_of(CLI::Option& option);

/// Accepts values for which `accepts` is true; others fail with "expected `expected`, found ...". `offered` is its
/// name.
CLI::Validator accepting(std::function<bool(const std::string&)> accepts, std::string expected,
                         const std::string& offered = "");
CLI::Validator integer(std::int64_t min, std::int64_t max = 2'147'483'647);
/// Accepts finite numbers of at least `min` and, unless `below` is 0, less than `below`.
CLI::Validator number(double min, double below = 0);
/// Accepts numbers from `min` to 1; share_above() excludes `min`.
CLI::Validator share_from(double min);
CLI::Validator share_above(double min);
/// Accepts any text that is not empty; an empty text is often an unset shell variable. `names` is for completion.
CLI::Validator file_name(const std::vector<std::string>& names = {});
/// Accepts non-empty UTF-8, because checkpoints, JSON and SVG include the value of --data.
CLI::Validator data_text();
/// Accepts any text that is not empty; the model decides which metrics exist.
CLI::Validator metric_name();
/// Accepts one of the names, or a list of them separated by commas.
CLI::Validator one_of(const std::string& what, std::vector<std::string> names);
inline CLI::Validator one_of(const std::string& what, std::span<const std::string_view> names) {
  return one_of(what, std::vector<std::string>(names.begin(), names.end()));
}
/// Accepts the names that device_named() accepts.
CLI::Validator device_name();
/// Accepts a number of bytes: "2GiB", "500 MB", "1000000".
CLI::Validator byte_size();

/// Returns the number of bytes in a text that byte_size() accepts; -1 otherwise.
std::int64_t parse_bytes(const std::string& text);

/// Returns the names in a list of definitions, each of which has a member `name`.
template <typename List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  names.reserve(std::size(list));
  for (const auto& item : list) names.emplace_back(item.name);
  return names;
}

}  // namespace cavs::cli
