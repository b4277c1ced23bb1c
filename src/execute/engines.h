#pragma once

#include <optional>
#include <span>

#include "execute/engine.h"

namespace cavs::inline v0_1 {

/// A line of engine_list.inc.
struct EngineLine {
  EngineKind engine;
  DeviceKind device;
  const EngineDef* def;
};

std::span<const EngineLine> all_engines();

/// Finds the line of an engine on a device, or of the device's first engine. @throws UserError, with a list of the
/// engines that exist, if the device has no such engine; also if a number is no EngineKind or DeviceKind.
const EngineLine& find_engine(std::optional<EngineKind> engine, DeviceKind device);

}  // namespace cavs::inline v0_1
