#include "cli/rate_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <optional>

#include "cli/validators.h"
#include "support/check.h"
#include "support/parse_number.h"

namespace cavs::cli {
namespace {

constexpr std::size_t kLongestPatternText = 1'000;

std::optional<double> rate_from(std::string_view text) {
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value) && *value >= 0 ? value : std::nullopt;
}

/// Parses PATTERN=RATE; nullopt if the text has another form. The last '=' separates, since a name may contain '='.
std::optional<ParameterGroup> group_from(std::string_view text) {
  const auto equals = text.rfind('=');
  if (equals == text.npos || equals == 0 || equals > kLongestPatternText) return std::nullopt;
  std::string pattern(text.substr(0, equals));
  std::string_view rate = text.substr(equals + 1);
  const bool factor = rate.ends_with('x');
  if (factor) rate.remove_suffix(1);
  const auto value = rate_from(rate);
  if (!value) return std::nullopt;
  return factor ? ParameterGroup::times(std::move(pattern), *value) : ParameterGroup::fixed(std::move(pattern), *value);
}

/// True if the option was given. A file of --print-config gives all options, so with --config an option counts only if
/// its value is not the default.
bool is_given(const CLI::App& app, const char* name) {
  const CLI::Option& option = *app.get_option(name);
  return option.count() > 0 && (app.count("--config") == 0 || option.results().back() != option.get_default_str());
}

}  // namespace

CLI::Validator learning_rate() {
  return accepting([](const std::string& text) { return rate_from(text) || group_from(text); },
                   "a number from 0, or PATTERN=RATE or PATTERN=FACTORx");
}

CLI::Validator name_pattern() {
  return CLI::Validator(
      [](const std::string& text) {
        return text.empty() || text.size() > kLongestPatternText
                   ? fmt::format("expected a pattern of parameter names of 1 to {} bytes, found {}",
                                 kLongestPatternText, text.size())
                   : std::string();
      },
      "");
}

void set_rates(const std::vector<std::string>& rates, const std::vector<std::string>& frozen,
               OptimizerOptions& options) {
  for (const std::string& text : rates) {
    if (const auto rate = rate_from(text))
      options.lr = *rate;
    else if (auto group = group_from(text))
      options.groups.push_back(std::move(*group));
  }
  for (const std::string& pattern : frozen) options.groups.push_back(ParameterGroup::frozen(pattern));
}

std::string describe_groups(const OptimizerOptions& options) {
  if (options.groups.empty()) return "none";
  std::vector<std::string> texts;
  for (const ParameterGroup& group : options.groups) texts.push_back(to_string(group));
  return fmt::format("{}", fmt::join(texts, ", "));
}

void warn_of_unused_decay(const CLI::App& app, std::string_view decay) {
  constexpr std::array<std::pair<const char*, std::string_view>, 4> kUsedBy{{
      {"--decay-steps", "linear cosine exponential step"},
      {"--decay-rate", "exponential step plateau"},
      {"--decay-patience", "plateau"},
      {"--decay-floor", "linear cosine exponential step plateau"},
  }};
  for (const auto& [option, decays] : kUsedBy)
    if (is_given(app, option) && decays.find(decay) == decays.npos)
      spdlog::warn("{} has no effect with --decay {}; it applies to {}", option, decay, decays);
}

}  // namespace cavs::cli
