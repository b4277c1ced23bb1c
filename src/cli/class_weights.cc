#include "cli/class_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "support/check.h"
#include "support/suggest.h"

namespace cavs::cli {
namespace {

constexpr const char* kBalanced = "balanced";

struct NamedWeight {
  std::string_view name;
  float weight = 0;
};

/// None where a part is no NAME=WEIGHT. A name may hold '='.
std::optional<std::vector<NamedWeight>> parts_of(std::string_view text) {
  std::vector<NamedWeight> parts;
  while (true) {
    const std::string_view part = text.substr(0, text.find(','));
    const auto equals = part.rfind('=');
    if (equals == part.npos || equals == 0) return std::nullopt;
    NamedWeight named{part.substr(0, equals)};
    const auto [end, error] = std::from_chars(part.data() + equals + 1, part.data() + part.size(), named.weight);
    if (error != std::errc() || end != part.data() + part.size()) return std::nullopt;
    if (!std::isfinite(named.weight) || named.weight < 0) return std::nullopt;
    parts.push_back(named);
    if (part.size() == text.size()) return parts;
    text.remove_prefix(part.size() + 1);
  }
}

std::vector<float> balanced(const Dataset& data) {
  user_check(data.stream == nullptr,
             "--class-weights balanced counts the labels of data in memory; with --stream give the weights by class");
  std::vector<std::int64_t> counts(data.classes);
  const auto& ports = data.train.schema().index_ports;
  const auto port = std::ranges::find(ports, "label");
  std::int64_t all = 0;
  if (port != ports.end())
    for (const std::int32_t label : data.train.index_pulls(port - ports.begin()))
      if (label >= 0 && label < data.classes) ++counts[label], ++all;
  std::vector<float> weights(data.classes, 1);
  for (int c = 0; c < data.classes; ++c)
    if (counts[c] > 0)
      weights[c] = static_cast<float>(static_cast<double>(all) /
                                      (static_cast<double>(data.classes) * static_cast<double>(counts[c])));
  return weights;
}

int class_named(std::string_view name, const Dataset& data) {
  if (const auto tag = std::ranges::find(data.tags, name); tag != data.tags.end())
    return static_cast<int>(tag - data.tags.begin());
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_class =
      error == std::errc() && end == name.data() + name.size() && number >= 0 && number < data.classes;
  if (is_class) return number;
  user_check(!data.tags.empty(), "--class-weights: there is no class '{}'; expected 0 to {}", name, data.classes - 1);
  user_error("--class-weights: there is no class '{}'; {}", name, suggest(name, data.tags));
}

}  // namespace

CLI::Validator class_weight_list() {
  return CLI::Validator(
      [](const std::string& text) {
        if (text == kBalanced || parts_of(text)) return std::string();
        return fmt::format("expected balanced, or CLASS=WEIGHT,... with weights from 0, found '{}'", text);
      },
      "");
}

std::vector<float> class_weights(const std::string& text, const Dataset& data) {
  if (text.empty()) return {};
  if (text == kBalanced) return balanced(data);
  std::vector<float> weights(data.classes, 1);
  std::vector<char> given(data.classes);
  for (const NamedWeight& named : parts_of(text).value_or(std::vector<NamedWeight>())) {
    const int of = class_named(named.name, data);
    user_check(given[of] == 0, "--class-weights: class '{}' is there twice; give it one weight", named.name);
    given[of] = 1, weights[of] = named.weight;
  }
  user_check(std::ranges::any_of(weights, [](float weight) { return weight > 0; }),
             "--class-weights: all {} classes have the weight 0, so there is nothing to learn; leave one out",
             data.classes);
  return weights;
}

}  // namespace cavs::cli
