// Engine `persistent`: the batched engine's kernels, memory and update, driven by scripts.

#include "execute/batched/batched_engine.h"
#include "execute/persistent/script_runner.h"

namespace cavs {

extern const EngineDef kPersistentEngine;
const EngineDef kPersistentEngine{
    "persistent", "each thread keeps its columns of every weight of the tasks, and waits only for what it reads",
    [](const EngineContext& context) -> std::unique_ptr<Engine> {
      return std::make_unique<BatchedEngine>(context, [](const DriverContext& with) -> std::unique_ptr<StepDriver> {
        return std::make_unique<ScriptRunner>(with);
      });
    }};

}  // namespace cavs
