#pragma once

#include <span>
#include <string>

#include "backend/cuda/device.h"
#include "backend/cuda/persistent/kernel_source.h"
#include "placement/placement.h"

namespace cavs::cuda {

/// GPUs whose kernels can be planned without one: A100 ("sm_80"), H100 ("sm_90"), by the CUDA programming guide.
std::span<const DeviceProperties> known_gpus();

/// Options of the first kernel that a session makes for a program on a GPU: blocks as large as it allows, and all the
/// shared memory that the rest of the kernel leaves. Where the compiler then needs a stack or spills registers, one
/// with fewer registers for weights follows (options_with_fewer_weights).
KernelOptions widest_options(const Program& program, const DeviceProperties& gpu, Precision precision);

/// Where such a kernel keeps the weights: this many processors of the architecture, with what the options give a lane.
WeightPlacement place_for_kernel(const Program& program, const std::string& architecture, int processors,
                                 const KernelOptions& options);

}  // namespace cavs::cuda
