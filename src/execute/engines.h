#pragma once

#include <span>

#include "execute/engine.h"

namespace cavs {

/// All engines, in the order of EngineKind.
std::span<const EngineDef* const> all_engines();
/// @throws UserError for a number that is no value of EngineKind.
const EngineDef& engine_def(EngineKind kind);

}  // namespace cavs
