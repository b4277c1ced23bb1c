#pragma once

#include <cstdint>

namespace cavs::cuda {

class KernelTimes;

/// Number of single kernels and graphs that the host has launched, and number of kernels in these graphs.
struct LaunchCounts {
  std::int64_t launches = 0, graphs = 0, nodes = 0;
  KernelTimes* times = nullptr;  // times of single kernels; nullptr if they are not measured
  void clear() { launches = graphs = nodes = 0; }
};

}  // namespace cavs::cuda
