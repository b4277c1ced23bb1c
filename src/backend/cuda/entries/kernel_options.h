#pragma once

#include <cstdint>
#include <vector>

#include "cavs/session_options.h"
#include "compile/program.h"

namespace cavs::cuda {

/// The target to compile models for, for kernels of a GPU. There are no row groups, because a block of threads shares
/// every row. Products of any width are merged, because columns are distributed one by one.
Target kernel_target();

/// Likewise for engine batched, where a thread computes a column of a row for all members of a group.
Target batched_target();

struct KernelOptions {
  int warps = 8;               // per processor (block of threads)
  int weight_registers = 208;  // per lane
  int shared_words = 0;        // per lane in shared memory, for weights without register; other weights stay in memory
  /// kBf16 rounds the operands of matrix products to bf16; in engine batched, kTf32 rounds them to TF32. Products then
  /// use `mma`, which needs compute_80; the persistent kernel uses it in tasks. Sums, states, parameters and all else
  /// stay fp32. In kBf16 the persistent kernel's weights must be placed as numbers of 2 bytes.
  Precision precision = Precision::kFp32;
  bool callers = false;  // parameters are at KernelArguments::weights, and launches copy rows of the caller
  bool clocks = false;   // records when each entry begins and ends, for measurements
  bool operator==(const KernelOptions&) const = default;
};

/// Number of threads of a block.
inline int kernel_threads(const KernelOptions& options) { return 32 * options.warps; }

/// Floats before each parameter in KernelArguments::parameters, gradients and slots. The last number is the total.
std::vector<std::int64_t> parameter_offsets(const Program& program);

/// Upper bound of a block's static shared memory, that is without words for weights.
std::int64_t block_memory_bytes(const Program& program, const KernelOptions& options);

/// Largest KernelOptions::shared_words if a block may have this much shared memory.
int most_shared_words(const Program& program, const KernelOptions& options, std::int64_t bytes);

/// Numbers in KernelArguments::squares.
std::int64_t square_blocks(const Program& program);

/// Options without which NVRTC does not compile a kernel, or compiles it to other bits: without contraction, products
/// and sums are rounded as written.
inline constexpr const char* kNvrtcOptions[] = {"-std=c++17", "-fmad=false", "-default-device"};

}  // namespace cavs::cuda
