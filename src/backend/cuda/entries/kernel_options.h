#pragma once

#include <cstdint>
#include <vector>

#include "cavs/session_options.h"
#include "compile/program.h"

namespace cavs::cuda {

/// Returns the target of models for the persistent kernel. It has no row groups, because a block of threads shares
/// every row. Products of any width are merged, because columns are distributed one by one.
Target kernel_target();

/// Returns the target for engine batched, in which a thread computes a column of a row for all members of a group.
Target batched_target();

struct KernelOptions {
  int warps = 8;               // per processor (a processor is a block of threads)
  int weight_registers = 208;  // registers per lane that may hold weights
  int shared_words = 0;        // words of shared memory per lane, for further weights; the rest stays in memory
  /// kBf16 rounds the operands of matrix products to bf16; in engine batched, kTf32 rounds them to TF32. Products then
  /// use the instruction `mma`, which needs compute_80; in the persistent kernel only products of tasks do. Everything
  /// else stays fp32. In kBf16, the placement for the persistent kernel must use weights of 2 bytes.
  Precision precision = Precision::kFp32;
  /// Shared memory that a block may have, in bytes. Engine batched omits sizes of tiles that need more. The default is
  /// that of compute 8.6 and 8.9, the least from compute 8.0 on.
  int most_shared_bytes = 99 << 10;
  bool callers = false;  // true if parameters are at KernelArguments::weights, and launches copy rows of the caller
  bool clocks = false;   // true to record when each entry begins and ends, for measurements
  bool operator==(const KernelOptions&) const = default;
};

/// Returns the number of threads in a block.
inline int kernel_threads(const KernelOptions& options) { return 32 * options.warps; }

/// Returns the offset in floats of each parameter in KernelArguments::parameters, gradients and slots, then the total.
std::vector<std::int64_t> parameter_offsets(const Program& program);

/// Returns an upper bound of a block's static shared memory, which does not include words for weights.
/// @param independent  true for engine batched, whose blocks do not synchronise with each other
std::int64_t block_memory_bytes(const Program& program, const KernelOptions& options, bool independent);

/// Returns the largest possible KernelOptions::shared_words if a block may have this much shared memory.
int most_shared_words(const Program& program, const KernelOptions& options, std::int64_t bytes);

/// Returns the size of KernelArguments::squares.
std::int64_t square_blocks(const Program& program);

/// NVRTC's options for all kernels. Without contraction (-fmad=false), products and sums are rounded separately, as
/// they are written, so that results are always bit-identical.
inline constexpr const char* kNvrtcOptions[] = {"-std=c++17", "-fmad=false", "-default-device"};

}  // namespace cavs::cuda
