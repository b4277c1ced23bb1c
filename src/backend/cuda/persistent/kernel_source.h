#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "backend/cuda/device_files.h"
#include "cavs/session_options.h"
#include "compile/program.h"
#include "placement/placement.h"

namespace cavs::cuda {

/// The target to compile models for that the persistent kernel runs: no row groups, as a block of threads shares every
/// row, and products merged whatever their widths, as a column is dealt by itself.
Target persistent_target();

struct KernelOptions {
  int warps = 8;               // a processor (block of threads)
  int weight_registers = 208;  // of a lane
  int shared_words = 0;        // of a lane in its processor's shared memory, for weights that have no register; those
                               // beyond are read from memory
  /// kBf16 rounds the operands of matrix products to bf16 and multiplies with `mma`, which needs compute_80; sums,
  /// states, parameters and all else stay fp32. Weights are to be placed as numbers of 2 bytes.
  Precision precision = Precision::kFp32;
  bool clocks = false;  // to note when each entry began and ended, for measurements
  bool operator==(const KernelOptions&) const = default;
};

/// Threads of a block.
inline int kernel_threads(const KernelOptions& options) { return 32 * options.warps; }

/// Floats before each parameter in KernelArguments::parameters, gradients and slots; last, their number.
std::vector<std::int64_t> parameter_offsets(const Program& program);

/// Of static shared memory, what a block needs at most: all but the words for weights.
std::int64_t block_memory_bytes(const Program& program, const KernelOptions& options);

/// KernelOptions::shared_words where a block may have so many bytes of shared memory.
int most_shared_words(const Program& program, const KernelOptions& options, std::int64_t bytes);

/// Numbers in KernelArguments::squares.
std::int64_t square_blocks(const Program& program);

/// The name of the kernel, and the options without which NVRTC does not compile it, or not to the same bits: products
/// and sums are rounded as they are written.
inline constexpr std::string_view kKernelName = "cavs_persistent";
inline constexpr const char* kNvrtcOptions[] = {"-std=c++17", "-fmad=false", "-default-device"};

/// CUDA C++ of the kernel that trains one minibatch in one launch (VPPS, sections III and IV): forward, backward,
/// update. `extern "C" __global__ void cavs_persistent(KernelArguments)`. It depends on the program, the placement and
/// the options alone, so its hash is a key for what it was compiled to.
/// @throws UserError naming what the program needs and the kernel lacks.
KernelSource persistent_kernel_source(const Program& program, const WeightPlacement& placement,
                                      const KernelOptions& options = {});

}  // namespace cavs::cuda
