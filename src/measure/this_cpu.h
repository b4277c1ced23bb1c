#pragma once

#include "placement/placement.h"

namespace cavs {

/// Cores of this processor as placing weights sees them; 1 MiB of level 2 cache each where the system does not tell.
OnChipTarget this_cpu(int cores);

}  // namespace cavs
