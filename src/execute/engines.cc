#include "execute/engines.h"

#include <algorithm>
#include <array>

#include "support/check.h"
#include "support/suggest.h"

namespace cavs {

#define CAVS_ENGINE(Name, text) extern const EngineDef k##Name##Engine;
CAVS_ENGINES(CAVS_ENGINE)
#undef CAVS_ENGINE

std::span<const EngineDef* const> all_engines() {
  static constexpr std::array kEngines{
#define CAVS_ENGINE(Name, text) &k##Name##Engine,
      CAVS_ENGINES(CAVS_ENGINE)
#undef CAVS_ENGINE
  };
  return kEngines;
}

const EngineDef& engine_def(EngineKind kind, DeviceKind device) {
  const auto number = static_cast<std::size_t>(kind);
  user_check(number < all_engines().size(), "engine number {} does not exist; expected a value of EngineKind", number);
  user_check(device == DeviceKind::kCpu || device == DeviceKind::kCuda,
             "device number {} does not exist; expected a value of DeviceKind", static_cast<int>(device));
  const EngineDef& engine = *all_engines()[number];
  user_check(engine.device == device || device == DeviceKind::kCuda,
             "engine {} runs on device cuda only; take engine batched, or device cuda", engine.name);
  user_check(engine.device == device,
             "device cuda has no engine {}; it has persistent alone: take engine persistent, or device cpu",
             engine.name);
  return engine;
}

}  // namespace cavs
