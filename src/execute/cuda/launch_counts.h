#pragma once

#include <cstdint>

namespace cavs::cuda {

class KernelTimes;

/// Numbers of launches from the host: of single kernels and of graphs. `nodes` is the number of kernels in the graphs.
struct LaunchCounts {
  std::int64_t launches = 0, graphs = 0, nodes = 0;
  KernelTimes* times = nullptr;  // records times of single kernels; nullptr if they are not measured
  void clear() { launches = graphs = nodes = 0; }
};

}  // namespace cavs::cuda
