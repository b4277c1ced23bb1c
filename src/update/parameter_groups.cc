#include "update/parameter_groups.h"

#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

using Rate = ParameterGroup::Rate;

constexpr std::size_t kLongestPattern = 1'000;

ParameterRate rate_of(const ParameterGroup& group, double lr) {
  if (group.rate == Rate::kFrozen) return {0, true};
  return {group.rate == Rate::kTimes ? lr * group.value : group.value, false};
}

std::string names_of(const std::vector<ParameterInfo>& parameters) {
  std::vector<std::string_view> names;
  for (const ParameterInfo& info : parameters) names.push_back(info.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void check_group(const ParameterGroup& group) {
  user_check(!group.pattern.empty() && group.pattern.size() <= kLongestPattern,
             "a pattern of parameter names has {} bytes; expected 1 to {}", group.pattern.size(), kLongestPattern);
  user_check(std::isfinite(group.value) && group.value >= 0,
             "the learning rate of parameters '{}' is {}; expected a number from 0", group.pattern, group.value);
}

std::string to_string(const ParameterGroup& group) {
  if (group.rate == Rate::kFrozen) return group.pattern + " frozen";
  return fmt::format("{}={}{}", group.pattern, group.value, group.rate == Rate::kTimes ? "x" : "");
}

std::vector<ParameterRate> rates_by_group(const OptimizerOptions& options,
                                          const std::vector<ParameterInfo>& parameters) {
  std::vector<ParameterRate> rates(parameters.size(), ParameterRate{options.lr, false});
  for (const ParameterGroup& group : options.groups) {
    bool matched = false;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      if (fnmatch(group.pattern.c_str(), parameters[p].name.c_str(), 0) != 0) continue;
      rates[p] = rate_of(group, options.lr);
      matched = true;
    }
    user_check(matched, "no parameter matches '{}'; the model's parameters are {}", group.pattern,
               names_of(parameters));
  }
  const bool trains = parameters.empty() || !std::ranges::all_of(rates, &ParameterRate::frozen);
  user_check(trains, "all parameters are frozen ({}), so there is nothing to train; freeze fewer",
             names_of(parameters));
  return rates;
}

}  // namespace cavs::inline v0_1
