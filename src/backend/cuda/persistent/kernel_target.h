#pragma once

#include <span>
#include <string>

#include "backend/cuda/device.h"
#include "backend/cuda/persistent/kernel_source.h"
#include "placement/placement.h"

namespace cavs::cuda {

/// Returns the GPUs for which kernels can be planned without a device: A100 ("sm_80"), H100 ("sm_90"), by CUDA's guide.
std::span<const DeviceProperties> known_gpus();

/// Returns the options of the first kernel that a session makes for a program on a GPU: the largest blocks, and for
/// weights all shared memory that the kernel does not need otherwise. If the compiler then uses a stack or spills
/// registers, the next kernel has fewer registers for weights (options_with_fewer_weights).
KernelOptions widest_options(const Program& program, const DeviceProperties& gpu, Precision precision);

/// Returns the placement of weights for a kernel with these options on this many processors.
WeightPlacement place_for_kernel(const Program& program, const std::string& architecture, int processors,
                                 const KernelOptions& options);

}  // namespace cavs::cuda
