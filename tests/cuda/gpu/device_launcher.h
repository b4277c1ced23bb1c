#pragma once

#include <span>
#include <vector>

#include "backend/cuda/compile_kernel.h"
#include "backend/cuda/device.h"
#include "backend/cuda/entries/kernel_arguments.h"
#include "cuda/persistent_step.h"

namespace cavs::cuda {

/// Runs a persistent kernel on a GPU through the driver. Copies the host memory that a test's launch reads and writes
/// to the GPU and back.
class DeviceKernel {
 public:
  DeviceKernel(const DeviceRef& device, const Cubin& cubin, const PersistentStep& step);

  /// Runs one launch, for PersistentStep::run().
  void launch(const LaunchShape& shape, const KernelArguments& arguments, std::span<const LaunchBuffer> buffers) const {
    time(shape, arguments, buffers, 1);
  }
  /// Runs several launches and keeps the results of the last. @return milliseconds of each launch, by the GPU's clock
  std::vector<double> time(const LaunchShape& shape, const KernelArguments& arguments,
                           std::span<const LaunchBuffer> buffers, int launches) const;

 private:
  DeviceRef device_;
  Kernel kernel_;
};

}  // namespace cavs::cuda
