#include "cavs/session_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "backend/cpu/kernels.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {
namespace {

template <typename Option>
Option find_option(std::string_view what, std::string_view name) {
  const auto names = option_names<Option>();
  const auto it = std::ranges::find(names, name);
  user_check(it != names.end(), "unknown {} '{}'; {}", what, name, suggest(name, {names.begin(), names.end()}));
  return static_cast<Option>(it - names.begin());
}

}  // namespace

/// Defines the names of an option's values, and the search for a value by name. @param what  name of the option
#define CAVS_OPTION(Option, what, ...)                          \
  template <>                                                   \
  std::span<const std::string_view> option_names<Option>() {    \
    static constexpr std::string_view kNames[] = {__VA_ARGS__}; \
    return kNames;                                              \
  }                                                             \
  template <>                                                   \
  Option option_named(std::string_view name) {                  \
    return find_option<Option>(what, name);                     \
  }
#define CAVS_NAME(Name, text) text,
CAVS_OPTION(EngineKind, "engine", CAVS_ENGINES(CAVS_NAME))
CAVS_OPTION(DeviceKind, "device", CAVS_DEVICES(CAVS_NAME))
CAVS_OPTION(Precision, "precision", "fp32", "bf16", "tf32")
CAVS_OPTION(Streaming, "streaming", "auto", "on", "off")
#undef CAVS_NAME
#undef CAVS_OPTION

std::string to_string(Device device) {
  std::string name(to_string(device.kind));
  if (device.index != 0) name += fmt::format(":{}", device.index);
  return name;
}

Device device_named(std::string_view name) {
  const std::size_t colon = name.find(':');
  Device device{option_named<DeviceKind>(name.substr(0, colon))};
  if (colon == std::string_view::npos) return device;
  const std::string_view digits = name.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), device.index);
  user_check(error == std::errc() && end == digits.data() + digits.size() && device.index >= 0,
             "device '{}' has no number from 0 after the colon; expected one, as in {}:1", name,
             to_string(device.kind));
  user_check(device.kind != DeviceKind::kCpu || device.index == 0,
             "there is no device '{}'; expected cpu, which is all processors of the machine", name);
  return device;
}

std::string_view bf16_instructions() { return cpu::bf16_instruction_set(); }

}  // namespace cavs::inline v0_1
