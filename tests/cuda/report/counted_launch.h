#pragma once

#include "cuda/persistent_step.h"

namespace cavs::cuda {

/// Counts for a step with all samples.
struct CountedLaunch {
  std::int64_t entries = 0, waiting = 0;  // entries of the script, and entries that wait for another processor
  std::int64_t barriers = 0;              // of all blocks, counted by the PTX interpreter
};
CountedLaunch count_launch(const PersistentStep& step, const GraphSet& graphs);

}  // namespace cavs::cuda
