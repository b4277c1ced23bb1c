#pragma once

#include "cuda/persistent_step.h"

namespace cavs::cuda {

/// What a step of all samples takes.
struct CountedLaunch {
  std::int64_t entries = 0, waiting = 0;  // of the script; those that wait for another processor
  std::int64_t barriers = 0;              // of all blocks, in the interpreter of PTX
};
CountedLaunch count_launch(const PersistentStep& step, const GraphSet& graphs);

}  // namespace cavs::cuda
