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

/// The line of an engine, or of the first engine that the device has. @throws UserError where the device has no such
/// engine, naming those that it has, and for numbers that are no values of EngineKind and DeviceKind.
const EngineLine& find_engine(std::optional<EngineKind> engine, DeviceKind device);

}  // namespace cavs::inline v0_1
