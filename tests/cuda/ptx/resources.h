#pragma once

#include <optional>
#include <string>

#include "backend/cuda/persistent/kernel_source.h"
#include "cavs/compile.h"

namespace cavs::cuda::ptx {

/// Resources of a kernel per lane, as predicted by the placement, listed in its tables and reported by ptxas, and the
/// time to compile the kernel.
struct Resources {
  bool fits = false;  // true if registers and shared memory hold all weights of tasks and their transposed copies
  bool forward_fits = false;  // true if they hold all weights that the forward pass reads
  int predicted = 0;          // registers per lane for weights, as the placement predicts
  int weights = 0;            // registers per lane for weights, in the tables of the kernel's text
  int predicted_shared = 0;   // words of shared memory per lane for weights, as the placement predicts
  int shared = 0;             // words of shared memory per lane for weights, in the tables
  int shared_bytes = 0;       // bytes of dynamic shared memory per block
  int static_bytes = 0;       // bytes of static shared memory per block, as ptxas reports
  int most_shared_bytes = 0;  // limit of the sum of dynamic and static shared memory
  int columns = 0;            // largest number of columns of one weight that a warp has (in VPPS: rows per warp)
  int registers = 0, stack = 0, spills = 0;
  int thrown_away = 0;                 // number of kernels that were discarded because they had stack or spills
  KernelOptions options;               // options of the final kernel
  std::optional<KernelOptions> fewer;  // options to try next; set if the kernel has stack or spills
  double generate_seconds = 0, nvrtc_seconds = 0;  // seconds of processor time
  std::string cubin;

  bool is_lean() const { return stack == 0 && spills == 0; }
};

/// Compiles the persistent kernel of a model, with all the GPU's shared memory available for weights.
/// @param architecture  architecture, such as "sm_90", of a GPU in known_gpus()
Resources resources_of(const Model& model, const std::string& architecture, KernelOptions options = {});

/// Like resources_of(), but compiles a kernel with stack or spills again, with fewer registers for weights.
Resources lean_resources_of(const Model& model, const std::string& architecture, KernelOptions options = {});

/// Expects that there is no stack and no spill, that the tables agree with the prediction, and that all weights fit.
void expect_fits(const Resources& r);

}  // namespace cavs::cuda::ptx
