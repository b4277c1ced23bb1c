#include "cavs/session_options.h"

#include <algorithm>
#include <vector>

#include "support/check.h"
#include "support/suggest.h"

namespace cavs {
namespace {

template <typename Option>
Option find_option(std::string_view what, std::string_view name) {
  const auto names = option_names<Option>();
  const auto it = std::ranges::find(names, name);
  user_check(it != names.end(), "unknown {} '{}'; {}", what, name, suggest(name, {names.begin(), names.end()}));
  return static_cast<Option>(it - names.begin());
}

}  // namespace

template <>
std::span<const std::string_view> option_names<EngineKind>() {
#define CAVS_ENGINE(Name, text) text,
  static constexpr std::string_view kNames[] = {CAVS_ENGINES(CAVS_ENGINE)};
#undef CAVS_ENGINE
  return kNames;
}
template <>
std::span<const std::string_view> option_names<DeviceKind>() {
  static constexpr std::string_view kNames[] = {"cpu", "cuda"};
  return kNames;
}
template <>
std::span<const std::string_view> option_names<Precision>() {
  static constexpr std::string_view kNames[] = {"fp32", "bf16"};
  return kNames;
}
template <>
std::span<const std::string_view> option_names<Streaming>() {
  static constexpr std::string_view kNames[] = {"auto", "on", "off"};
  return kNames;
}

template <>
EngineKind option_named(std::string_view name) {
  return find_option<EngineKind>("engine", name);
}
template <>
DeviceKind option_named(std::string_view name) {
  return find_option<DeviceKind>("device", name);
}
template <>
Precision option_named(std::string_view name) {
  return find_option<Precision>("precision", name);
}
template <>
Streaming option_named(std::string_view name) {
  return find_option<Streaming>("streaming", name);
}

}  // namespace cavs
