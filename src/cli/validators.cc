#include "cli/validators.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cavs/data.h"
#include "cavs/error.h"
#include "cavs/evaluator.h"
#include "cavs/session_options.h"
#include "support/parse_number.h"
#include "support/suggest.h"
#include "support/utf8.h"

namespace cavs::cli {
namespace {

CLI::Validator share(double min, bool with_min) {
  return accepting(
      [=](const std::string& text) {
        const auto value = parse_number<double>(text);
        return value && *value <= 1 && (with_min ? *value >= min : *value > min);
      },
      fmt::format("a number {} {} to 1", with_min ? "from" : "above", min));
}

/// Returns the kinds of data: "listops", "trees:" ...
std::vector<std::string> data_kind_texts() {
  std::vector<std::string> texts;
  for (const DataKindInfo& kind : data_kinds()) texts.push_back(std::string(kind.name) + (kind.of_files ? ":" : ""));
  return texts;
}

/// Returns the names of the metrics of all models.
std::vector<std::string> metric_names() {
  std::vector<std::string> names{"loss", "mse"};
  for (const Metric metric : {Metric::kAccuracy, Metric::kPerplexity, Metric::kF1, Metric::kCorrelation})
    for (const MetricColumn& column : metric_info(metric).columns)
      if (std::ranges::find(names, column.name) == names.end()) names.emplace_back(column.name);
  return names;
}

}  // namespace

std::vector<std::string> choices_of(CLI::Option& option) {
  try {
    return CLI::detail::split_up(option.get_validator(0)->get_name());
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
}

CLI::Validator accepting(std::function<bool(const std::string&)> accepts, std::string expected,
                         const std::string& offered) {
  return CLI::Validator(
      [accepts = std::move(accepts), expected = std::move(expected)](const std::string& text) {
        return accepts(text) ? std::string() : fmt::format("expected {}, found '{}'", expected, text);
      },
      "", offered);
}

CLI::Validator integer(std::int64_t min, std::int64_t max) {
  return CLI::Validator(
      [=](const std::string& text) {
        const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
        if (digits.size() > 1 && digits.front() == '0')  // CLI11 reads a number with a leading 0 as octal
          return fmt::format("expected an integer without leading zeros, found '{}'", text);
        const auto value = parse_number<std::int64_t>(text);
        if (value && *value >= min && *value <= max) return std::string();
        return fmt::format("expected an integer from {} to {}, found '{}'", min, max, text);
      },
      "");
}

CLI::Validator number(double min, double below) {
  return accepting(
      [=](const std::string& text) {
        const auto value = parse_number<double>(text);
        return value && std::isfinite(*value) && *value >= min && (below == 0 || *value < below);
      },
      fmt::format("a number from {}{}", min, below == 0 ? "" : fmt::format(" to below {}", below)));
}

CLI::Validator share_from(double min) { return share(min, true); }
CLI::Validator share_above(double min) { return share(min, false); }

CLI::Validator file_name(const std::vector<std::string>& names) {
  return accepting([](const std::string& text) { return !text.empty(); }, "the name of a file",
                   CLI::detail::join(names, " "));
}

CLI::Validator data_text() {
  return CLI::Validator(
      [](const std::string& text) {
        if (text.empty()) return std::string("expected data such as listops or trees:FILE, found ''");
        const std::size_t bad = find_invalid_utf8(text);
        if (bad == text.npos) return std::string();
        return fmt::format("expected UTF-8, found the byte 0x{:02X} after '{}'; rename the file",
                           static_cast<unsigned char>(text[bad]), text.substr(0, bad));
      },
      "", CLI::detail::join(data_kind_texts(), " "));
}

CLI::Validator metric_name() {
  return accepting([](const std::string& text) { return !text.empty(); }, "a metric such as accuracy",
                   CLI::detail::join(metric_names(), " "));
}

CLI::Validator one_of(const std::string& what, std::vector<std::string> names) {
  const std::string name = CLI::detail::join(names, " ");
  return CLI::Validator(
      [what, names = std::move(names)](const std::string& text) {
        if (std::find(names.begin(), names.end(), text) != names.end()) return std::string();
        return fmt::format("unknown {} '{}'; {}", what, text, suggest(text, names));
      },
      "", name);
}

CLI::Validator device_name() {
  return CLI::Validator(
      [](const std::string& text) {
        try {
          device_named(text);
          return std::string();
        } catch (const UserError& error) {
          return std::string(error.what());
        }
      },
      "", CLI::detail::join(option_names<DeviceKind>(), " "));
}

std::int64_t parse_bytes(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !(value >= 0)) return -1;
  std::string_view unit(end, text.data() + text.size());
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1},     {"B", 1},        {"KB", 1e3},        {"MB", 1e6},
      {"GB", 1e9}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};
  for (const auto& [name, factor] : kUnits)
    if (unit == name && value * factor < 9e18) return static_cast<std::int64_t>(value * factor);
  return -1;
}

CLI::Validator byte_size() {
  return accepting([](const std::string& text) { return parse_bytes(text) >= 1; },
                   "a number of bytes such as 2GiB or 500MB");
}

}  // namespace cavs::cli
