#include "execute/engines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "support/check.h"

namespace cavs::inline v0_1 {

#define CAVS_ENGINE(Engine, Device) extern const EngineDef k##Engine##On##Device;
#include "execute/engine_list.inc"
#undef CAVS_ENGINE

std::span<const EngineLine> all_engines() {
#define CAVS_ENGINE(Engine, Device) {EngineKind::k##Engine, DeviceKind::k##Device, &k##Engine##On##Device},
  static constexpr EngineLine kEngines[] = {
#include "execute/engine_list.inc"
  };
#undef CAVS_ENGINE
  return kEngines;
}

namespace {

/// Returns the names that member `wanted` has in the engine lines whose member `known` is `value`.
template <typename Wanted, typename Known>
std::vector<std::string_view> names_of(Wanted EngineLine::*wanted, Known EngineLine::*known, Known value) {
  std::vector<std::string_view> names;
  for (const EngineLine& line : all_engines())
    if (line.*known == value) names.push_back(to_string(line.*wanted));
  return names;
}

template <typename Option>
void check_number(std::string_view what, Option option) {
  user_check(static_cast<std::size_t>(option) < option_names<Option>().size(),
             "{} number {} does not exist; expected the number of one of these: {}", what, static_cast<int>(option),
             fmt::join(option_names<Option>(), ", "));
}

}  // namespace

const EngineLine& find_engine(std::optional<EngineKind> engine, DeviceKind device) {
  check_number("device", device);
  if (engine) check_number("engine", *engine);
  const auto all = all_engines();
  const auto line = std::ranges::find_if(
      all, [&](const EngineLine& l) { return l.device == device && (!engine || l.engine == *engine); });
  if (line != all.end()) return *line;
  const auto engines = names_of(&EngineLine::engine, &EngineLine::device, device);
  user_check(engine && !engines.empty(), "device {} has no engine; use another device", to_string(device));
  user_error("device {} has no engine {}; use engine {}, or device {}", to_string(device), to_string(*engine),
             fmt::join(engines, " or "),
             fmt::join(names_of(&EngineLine::device, &EngineLine::engine, *engine), " or "));
}

EngineKind engine_on(DeviceKind device, std::optional<EngineKind> asked) { return find_engine(asked, device).engine; }

}  // namespace cavs::inline v0_1
