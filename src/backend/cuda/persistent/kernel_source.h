#pragma once

#include <string_view>

#include "backend/cuda/device_files.h"
#include "backend/cuda/entries/kernel_options.h"
#include "placement/placement.h"

namespace cavs::cuda {

/// Name of the kernel.
inline constexpr std::string_view kKernelName = "cavs_persistent";

/// Returns the CUDA C++ text of the kernel that trains on one minibatch in one launch (VPPS, sections III and IV):
/// forward, backward and update. Its signature is `extern "C" __global__ void cavs_persistent(KernelArguments)`. The
/// text depends only on program, placement and options, so its hash is a key for the compiled code.
/// @throws UserError that says what the program needs, if the kernel lacks it.
KernelSource persistent_kernel_source(const Program& program, const WeightPlacement& placement,
                                      const KernelOptions& options = {});

}  // namespace cavs::cuda
