#pragma once

#include <string_view>

#include "backend/cuda/device_files.h"
#include "backend/cuda/entries/kernel_options.h"
#include "placement/placement.h"

namespace cavs::cuda {

/// The name of the kernel.
inline constexpr std::string_view kKernelName = "cavs_persistent";

/// CUDA C++ of the kernel that trains one minibatch in one launch (VPPS, sections III and IV): forward, backward,
/// update. Its signature is `extern "C" __global__ void cavs_persistent(KernelArguments)`. It depends only on the
/// program, the placement and the options, so its hash is a key for the compiled code.
/// @throws UserError naming what the program needs and the kernel lacks.
KernelSource persistent_kernel_source(const Program& program, const WeightPlacement& placement,
                                      const KernelOptions& options = {});

}  // namespace cavs::cuda
