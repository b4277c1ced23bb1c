#pragma once

#include <cstdint>

namespace cavs::cuda {

/// What the host has launched: kernels by themselves; graphs, and the kernels in them.
struct LaunchCounts {
  std::int64_t launches = 0, graphs = 0, nodes = 0;
};

}  // namespace cavs::cuda
