#pragma once

#include "backend/cuda/persistent/kernel_source.h"
#include "helpers/evaluate.h"
#include "placement/placement.h"

namespace cavs::cuda {

/// Returns a GPU with few processors, whose registers can hold all weights of small models.
inline OnChipTarget few_processors(int processors, int warps = 2) {
  return gpu_target("a GPU", processors, warps, KernelOptions().weight_registers);
}

}  // namespace cavs::cuda
