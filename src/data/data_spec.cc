#include "data/data_spec.h"

#include <algorithm>

#include "data/text.h"
#include "support/check.h"
#include "support/file.h"
#include "support/parse_number.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {
DataSpec::DataSpec(const std::string& spec) : spec_(spec) {
  user_check(spec.find('\0') == spec.npos, "data '{}': expected KIND:NAMES; found a zero byte, which names cannot have",
             printable(spec));
  const auto colon = std::min(spec.find(':'), spec.size());
  kind_ = spec.substr(0, colon);
  rest_ = spec.substr(std::min(colon + 1, spec.size()));
}

std::string DataSpec::cut_off_options() {
  std::string items;
  for (auto comma = rest_.rfind(','); comma != rest_.npos; comma = rest_.rfind(',')) {
    const std::string item = rest_.substr(comma + 1);
    const std::string key = item.substr(0, item.find('='));
    const bool is_key = key.size() < item.size() && key.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == key.npos;
    if (!is_key || key == "train" || key == "dev") break;
    items = items.empty() ? item : item + "," + items;
    rest_.resize(comma);
  }
  return items;
}

void DataSpec::parse_items(std::string_view rest, std::span<const std::string_view> known) {
  while (!rest.empty()) {
    const std::string_view item = take_part(rest, ',');
    const auto equals = std::min(item.find('='), item.size());
    const std::string key(item.substr(0, equals));
    if (std::find(known.begin(), known.end(), key) == known.end())
      user_error("data '{}': unknown option '{}'; {}", excerpt(spec_), excerpt(key), suggest(key, known));
    user_check(equals < item.size(), "data '{}': option '{}' has no value; expected {}=VALUE", excerpt(spec_), key,
               key);
    user_check(options_.emplace(key, item.substr(equals + 1)).second, "data '{}': duplicate option '{}'",
               excerpt(spec_), key);
  }
}

std::int64_t DataSpec::integer(const std::string& key, std::int64_t otherwise, std::int64_t min,
                               std::int64_t max) const {
  const auto option = options_.find(key);
  if (option == options_.end()) return otherwise;
  const std::string& text = option->second;
  const auto value = parse_number<std::int64_t>(text);
  if (!value || *value < min || *value > max)
    user_error("data '{}': {} is '{}'; expected an integer {} to {}", excerpt(spec_), key, excerpt(text), min, max);
  return *value;
}

std::string DataSpec::choice(const std::string& key, const std::string& otherwise,
                             std::span<const std::string_view> names) const {
  const auto option = options_.find(key);
  if (option == options_.end()) return otherwise;
  if (std::ranges::find(names, option->second) == names.end())
    user_error("data '{}': {} is '{}'; {}", excerpt(spec_), key, excerpt(option->second),
               suggest(option->second, names));
  return option->second;
}

std::string DataSpec::text(const std::string& key) const {
  const auto option = options_.find(key);
  return option == options_.end() ? std::string() : option->second;
}

DataSpec::Files DataSpec::files() const {
  constexpr std::string_view kTrain = "train=", kDev = ",dev=";
  user_check(!rest_.empty(), "data '{}': no file; expected {}:FILE or {}:train=FILE,dev=FILE", excerpt(spec_), kind_,
             kind_);
  if (!rest_.starts_with(kTrain)) return {rest_, ""};
  const auto dev = rest_.find(kDev);
  user_check(dev != rest_.npos, "data '{}': no dev file; expected {}:train=FILE,dev=FILE", excerpt(spec_), kind_);
  return {rest_.substr(kTrain.size(), dev - kTrain.size()), rest_.substr(dev + kDev.size())};
}

}  // namespace cavs::inline v0_1
