#pragma once

#include <span>

#include "execute/engine.h"

namespace cavs {

/// All engines, in the order of EngineKind.
std::span<const EngineDef* const> all_engines();
/// @throws UserError for a number that is no value of EngineKind, or an engine of another device.
const EngineDef& engine_def(EngineKind kind, DeviceKind device = DeviceKind::kCpu);

}  // namespace cavs
