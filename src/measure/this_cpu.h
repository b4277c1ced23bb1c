#pragma once

#include "backend/cpu/isa.h"
#include "placement/placement.h"

namespace cavs::inline v0_1 {

/// Cores of this processor as placing weights sees them; 1 MiB of level 2 cache each where the system does not tell.
inline OnChipTarget this_cpu(int cores) { return cpu_target(cores, cpu::second_cache_bytes()); }

}  // namespace cavs::inline v0_1
