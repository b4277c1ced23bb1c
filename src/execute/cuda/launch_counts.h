#pragma once

#include <cstdint>

namespace cavs::cuda {

/// The host has launched so many single kernels, graphs, and kernels in these graphs.
struct LaunchCounts {
  std::int64_t launches = 0, graphs = 0, nodes = 0;
};

}  // namespace cavs::cuda
