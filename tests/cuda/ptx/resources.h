#pragma once

#include <optional>
#include <string>

#include "backend/cuda/persistent/kernel_source.h"
#include "cavs/compile.h"

namespace cavs::cuda::ptx {

/// Resources of a kernel per lane, as predicted by the placement, listed in its tables and reported by ptxas, and the
/// time to compile the kernel.
struct Resources {
  bool fits = false;          // all weights of tasks have registers or shared memory, forward and transposed
  bool forward_fits = false;  // all forward weights have
  int predicted = 0;          // registers per lane for weights, predicted by the placement
  int weights = 0;            // the same in the tables, from which the text is made
  int predicted_shared = 0;   // words of shared memory per lane for weights, predicted by the placement
  int shared = 0;             // the same in the tables
  int shared_bytes = 0;       // dynamic shared memory per block
  int static_bytes = 0;       // static shared memory, reported by ptxas
  int most_shared_bytes = 0;  // limit of the sum of both per block
  int columns = 0;            // largest number of columns of one weight per warp, which VPPS calls rows per warp
  int registers = 0, stack = 0, spills = 0;
  int thrown_away = 0;                             // number of discarded kernels with stack or spills
  KernelOptions options;                           // options of the final kernel
  std::optional<KernelOptions> fewer;              // options to try next if the kernel has stack or spills
  double generate_seconds = 0, nvrtc_seconds = 0;  // processor time
  std::string cubin;

  bool is_lean() const { return stack == 0 && spills == 0; }
};

/// Compiles the persistent kernel of a model, with all the GPU's shared memory available for weights.
/// @param architecture  such as "sm_90", of a GPU in known_gpus()
Resources resources_of(const Model& model, const std::string& architecture, KernelOptions options = {});

/// The same as in a session: a kernel with stack or spills is compiled again with fewer registers for weights.
Resources lean_resources_of(const Model& model, const std::string& architecture, KernelOptions options = {});

/// Expects no stack, no spills, the predicted registers, and room for all weights beside the other registers.
void expect_fits(const Resources& r);

}  // namespace cavs::cuda::ptx
