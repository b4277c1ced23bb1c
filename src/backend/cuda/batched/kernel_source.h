#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "backend/cuda/device_files.h"
#include "backend/cuda/entries/kernel_options.h"
#include "backend/cuda/entries/kernel_tables.h"
#include "backend/cuda/entries/tile_shape.h"

namespace cavs::cuda {

/// Numbers of the kernels that do not depend on the program.
enum SharedKernel {
  kBeginStretch,
  kClearGradients,
  kSums,
  kUpdateParameters,
  kAddGradients,
  kMoveAverages,
  kRoundWeights,  // rounds to bf16
  kBestWords,     // this kernel and the next exist only in programs that are not for training
  kKeepStates,
  kCopyRowsOfCaller,  // only with KernelOptions::callers
  kTileEntropies,
  kSharedKernels
};

/// The number of a kernel for each size of tiles. All are equal if the kernel has no tiles.
using KernelsBySize = std::array<int, kTileSizes>;

/// The kernels of a program for the batched engine: one module of CUDA C++, and the number of each entry's kernel.
struct BatchedKernels {
  static constexpr int kNone = -1;

  static constexpr KernelsBySize kNoKernels{kNone, kNone, kNone};

  struct Kernel {
    std::string name;                     // empty if the program does not need the kernel
    int shared_bytes = 0;                 // bytes of dynamic shared memory
    int tile_rows = 0, tile_columns = 0;  // rows and columns of a tile of a product; 0 for other kernels
  };

  KernelSource source;
  std::vector<Kernel> kernels;  // by number; an entry without a kernel (a view) has number kNone
  std::array<KernelsBySize, kOperations> of_operation{};  // by Operation
  std::vector<int> of_loop;                               // [element-wise loops]
  std::vector<KernelsBySize> of_group;                    // [groups]
  KernelsBySize transposed_product = kNoKernels;
  KernelsBySize logits = kNoKernels, dx = kNoKernels, dw = kNoKernels;  // for tiles of a softmax over words

  /// Returns the kernels of an entry. A softmax over words has four. @param transposed  true for a transposed product
  KernelsBySize of(const Code& code, bool transposed) const {
    if (code.operation == kGroup) return of_group[code.group];
    if (code.operation == kProduct && transposed) return transposed_product;
    if (code.operation != kLoop) return of_operation[code.operation];
    return {of_loop[code.number], of_loop[code.number], of_loop[code.number]};
  }
};

/// Writes the kernels. The source depends only on program and options, so its hash is a key for the compiled code.
BatchedKernels batched_kernels(const Program& program, const KernelTables& tables, const KernelOptions& options);

}  // namespace cavs::cuda
