#pragma once

#include <cstdint>
#include <vector>

#include "cavs/session_options.h"
#include "compile/program.h"

namespace cavs::cuda {

/// The target to compile models for that kernels of a GPU run: no row groups, as a block of threads shares every row,
/// and products merged whatever their widths, as a column is dealt by itself.
Target kernel_target();

/// The same for engine batched, where a thread computes a column of a row: of all members of a group.
Target batched_target();

struct KernelOptions {
  int warps = 8;               // a processor (block of threads)
  int weight_registers = 208;  // of a lane
  int shared_words = 0;        // of a lane in its processor's shared memory, for weights that have no register; those
                               // beyond are read from memory
  /// kBf16 rounds the operands of matrix products to bf16, and engine batched those of kTf32 to TF32. It multiplies
  /// them with `mma`, which needs compute_80; the persistent kernel does so in tasks. Sums, states, parameters and all
  /// else stay fp32. The persistent kernel's weights are to be placed as numbers of 2 bytes in kBf16.
  Precision precision = Precision::kFp32;
  bool callers = false;  // parameters lie where KernelArguments::weights says, and launches copy rows of the caller's
  bool clocks = false;   // to note when each entry began and ended, for measurements
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

/// The options without which NVRTC does not compile a kernel, or not to the same bits: products and sums are rounded as
/// they are written.
inline constexpr const char* kNvrtcOptions[] = {"-std=c++17", "-fmad=false", "-default-device"};

}  // namespace cavs::cuda
