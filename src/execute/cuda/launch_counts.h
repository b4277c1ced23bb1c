#pragma once

#include <cstdint>

namespace cavs::cuda {

class KernelTimes;

/// The host has launched so many single kernels, graphs, and kernels in these graphs.
struct LaunchCounts {
  std::int64_t launches = 0, graphs = 0, nodes = 0;
  KernelTimes* times = nullptr;  // of single kernels; nullptr: they are not measured
  void clear() { launches = graphs = nodes = 0; }
};

}  // namespace cavs::cuda
