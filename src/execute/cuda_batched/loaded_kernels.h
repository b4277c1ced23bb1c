#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/cuda/batched/kernel_source.h"
#include "backend/cuda/batched/launch.h"
#include "backend/cuda/device.h"
#include "backend/cuda/kernel_cache.h"

namespace cavs::cuda {

/// The kernels of a program on a GPU. They are compiled, or loaded from the cache.
class LoadedKernels {
 public:
  /// @throws UserError if NVRTC cannot compile them
  LoadedKernels(const DeviceRef& device, const Program& program, const KernelTables& tables,
                const KernelOptions& options);

  const BatchedKernels& kernels() const { return sources_; }
  /// Launches a kernel on all of the GPU's processors.
  void launch(const Stream& stream, int kernel, const Launch& launch, bool begins_early) const {
    kernels_[static_cast<std::size_t>(kernel)]->launch(stream, processors_, threads_, launch, begins_early);
  }
  const KernelCache& cache() const { return compiler_.cache(); }
  /// Returns lines that describe the kernels to the user.
  std::vector<std::string> describe() const;

 private:
  const int processors_, threads_;
  const DeviceRef device_;
  BatchedKernels sources_;
  KernelCompiler compiler_;
  KernelResources resources_;
  std::vector<std::optional<Kernel>> kernels_;  // nullopt for a kernel that the program does not need
};

}  // namespace cavs::cuda
