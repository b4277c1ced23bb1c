#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cavs::cli {

// What an option's value may be. CLI11 puts the option's name before a message, so that it reads
// "--hidden: expected an integer from 1 to 65536, found 'abc'".
//
// A validator's name lists what completion may offer: "adam sgd". One that ends in ':' goes on, with the name of a
// file.
/// The values that a validator offers for an option; none where nothing is known.
std::vector<std::string> choices_of(CLI::Option& option);

/// The values that `accepts` says; of others "expected `expected`, found ..." is said. `offered`: the validator's name.
CLI::Validator accepting(std::function<bool(const std::string&)> accepts, std::string expected,
                         const std::string& offered = "");
CLI::Validator integer(std::int64_t min, std::int64_t max = 2'147'483'647);
/// Any finite number from `min`; below `below`.
CLI::Validator number(double min, double below = 0);
/// Any number from `min`, or above it, to 1.
CLI::Validator share_from(double min);
CLI::Validator share_above(double min);
/// Any text but an empty one, which a shell gives for a variable that is not set. `names`: what it may be instead.
CLI::Validator file_name(const std::vector<std::string>& names = {});
/// What --data names: not empty, and UTF-8, as a checkpoint, JSON and SVG hold it.
CLI::Validator data_text();
/// Any text but an empty one: which metrics there are depends on the model.
CLI::Validator metric_name();
/// One of the names, or a list of them separated by commas.
CLI::Validator one_of(const std::string& what, std::vector<std::string> names);
inline CLI::Validator one_of(const std::string& what, std::span<const std::string_view> names) {
  return one_of(what, std::vector<std::string>(names.begin(), names.end()));
}
/// What device_named() takes.
CLI::Validator device_name();
/// "2GiB", "500 MB", "1000000": bytes.
CLI::Validator byte_size();

/// The number that byte_size() accepts; -1 otherwise.
std::int64_t parse_bytes(const std::string& text);

/// The names of a list of definitions, each with a member `name`.
template <typename List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  names.reserve(std::size(list));
  for (const auto& item : list) names.emplace_back(item.name);
  return names;
}

}  // namespace cavs::cli
