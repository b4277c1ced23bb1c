#pragma once

#include <optional>
#include <string>

#include "backend/cuda/persistent/kernel_source.h"
#include "cavs/compile.h"

namespace cavs::cuda::ptx {

/// What a kernel takes of a lane, as the placement predicts, as its tables say, and as ptxas says, and how long it took
/// to make it.
struct Resources {
  bool fits = false;          // all weights of tasks have registers or shared memory, forward and transposed
  bool forward_fits = false;  // all forward ones have
  int predicted = 0;          // registers of a lane that hold weights, by the placement
  int weights = 0;            // by the tables, of which the text is made
  int predicted_shared = 0;   // words of a lane in shared memory that hold weights, by the placement
  int shared = 0;             // by the tables
  int shared_bytes = 0;       // of dynamic shared memory, of a block
  int static_bytes = 0;       // of static shared memory, as ptxas says
  int most_shared_bytes = 0;  // of both that a block may have
  int columns = 0;            // of a warp, at most of one weight: VPPS' rows a warp
  int registers = 0, stack = 0, spills = 0;
  int thrown_away = 0;                             // kernels with stack or spills before this one
  KernelOptions options;                           // of the kernel that was kept
  std::optional<KernelOptions> fewer;              // of the next one to try where that has stack or spills
  double generate_seconds = 0, nvrtc_seconds = 0;  // processor time
  std::string cubin;

  bool is_lean() const { return stack == 0 && spills == 0; }
};

/// Compiles the persistent kernel of a model, with as much shared memory for weights as the GPU has.
/// @param architecture  "sm_90", of a GPU of known_gpus()
Resources resources_of(const Model& model, const std::string& architecture, KernelOptions options = {});

/// The same as a session does it: a kernel with stack or spills is thrown away, and made again with fewer registers for
/// weights.
Resources lean_resources_of(const Model& model, const std::string& architecture, KernelOptions options = {});

/// In a test: no stack, no spills, the registers that were predicted, and all weights in registers beside what the rest
/// needs.
void expect_fits(const Resources& r);

}  // namespace cavs::cuda::ptx
