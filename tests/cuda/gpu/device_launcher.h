#pragma once

#include <span>
#include <vector>

#include "backend/cuda/compile_kernel.h"
#include "backend/cuda/device.h"
#include "backend/cuda/entries/kernel_arguments.h"
#include "cuda/persistent_step.h"

namespace cavs::cuda {

/// A persistent kernel on a GPU, through the driver's table: what a launch of the tests reads and writes on the host is
/// copied there and back.
class DeviceKernel {
 public:
  DeviceKernel(const DeviceRef& device, const Cubin& cubin, const PersistentStep& step);

  /// For PersistentStep::run(): one launch.
  void launch(const LaunchShape& shape, const KernelArguments& arguments, std::span<const LaunchBuffer> buffers) const {
    time(shape, arguments, buffers, 1);
  }
  /// Several launches one after the other, the results of the last. @return milliseconds of each, by the GPU's clock
  std::vector<double> time(const LaunchShape& shape, const KernelArguments& arguments,
                           std::span<const LaunchBuffer> buffers, int launches) const;

 private:
  DeviceRef device_;
  Kernel kernel_;
};

}  // namespace cavs::cuda
