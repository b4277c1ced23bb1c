#include "cli/class_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "cli/validators.h"
#include "support/check.h"
#include "support/parse_number.h"
#include "support/suggest.h"

namespace cavs::cli {
namespace {

constexpr const char* kBalanced = "balanced";

struct NamedWeight {
  std::string_view name;
  float weight = 0;
};

/// Parses NAME=WEIGHT,...; nullopt if a part has another form. The last '=' separates, since a name may contain '='.
std::optional<std::vector<NamedWeight>> parts_of(std::string_view text) {
  std::vector<NamedWeight> parts;
  while (true) {
    const std::string_view part = text.substr(0, text.find(','));
    const auto equals = part.rfind('=');
    if (equals == part.npos || equals == 0) return std::nullopt;
    const auto weight = parse_number<float>(part.substr(equals + 1));
    if (!weight || !std::isfinite(*weight) || *weight < 0) return std::nullopt;
    parts.push_back({part.substr(0, equals), *weight});
    if (part.size() == text.size()) return parts;
    text.remove_prefix(part.size() + 1);
  }
}

std::vector<float> balanced(const Dataset& data) {
  user_check(data.stream == nullptr,
             "--class-weights balanced needs all labels in memory; with --stream give a weight for each class");
  std::vector<std::int64_t> counts(data.classes);
  const auto& ports = data.train.schema().index_ports;
  const auto port = std::ranges::find(ports, "label");
  if (port == ports.end()) return std::vector<float>(data.classes, 1);
  for (const std::int32_t label : data.train.index_pulls(static_cast<std::size_t>(port - ports.begin())))
    if (label >= 0 && label < data.classes) ++counts[label];
  const std::int64_t all = std::reduce(counts.begin(), counts.end());
  std::vector<float> weights(data.classes, 1);
  for (int c = 0; c < data.classes; ++c)
    if (counts[c] > 0)
      weights[c] = static_cast<float>(static_cast<double>(all) /
                                      (static_cast<double>(data.classes) * static_cast<double>(counts[c])));
  return weights;
}

int class_named(std::string_view name, const Dataset& data) {
  if (const auto tag = std::ranges::find(data.class_names, name); tag != data.class_names.end())
    return static_cast<int>(tag - data.class_names.begin());
  const auto number = parse_number<int>(name);
  if (number && *number >= 0 && *number < data.classes) return *number;
  user_check(!data.class_names.empty(), "--class-weights: there is no class '{}'; expected 0 to {}", name,
             data.classes - 1);
  user_error("--class-weights: there is no class '{}'; {}", name, suggest(name, data.class_names));
}

}  // namespace

CLI::Validator class_weight_list() {
  return accepting([](const std::string& text) { return text == kBalanced || parts_of(text).has_value(); },
                   "balanced, or CLASS=WEIGHT,... with weights from 0");
}

std::vector<float> class_weights(const std::string& text, const Dataset& data) {
  if (text.empty()) return {};
  if (text == kBalanced) return balanced(data);
  std::vector<float> weights(data.classes, 1);
  std::vector<char> given(data.classes);
  for (const NamedWeight& named : parts_of(text).value_or(std::vector<NamedWeight>())) {
    const int of = class_named(named.name, data);
    user_check(given[of] == 0, "--class-weights: class '{}' has two weights; give it one", named.name);
    given[of] = 1;
    weights[of] = named.weight;
  }
  user_check(std::ranges::any_of(weights, [](float weight) { return weight > 0; }),
             "--class-weights: all {} classes have weight 0, so there is nothing to learn; leave one out",
             data.classes);
  return weights;
}

}  // namespace cavs::cli
