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

/// Kernels that every program has, by number.
enum SharedKernel {
  kBeginStretch,
  kClearGradients,
  kSums,
  kUpdateParameters,
  kAddGradients,
  kMoveAverages,
  kRoundWeights,  // in bf16
  kBestWords,     // this and the next exist only in programs that are not for training
  kKeepStates,
  kCopyRowsOfCaller,  // KernelOptions::callers
  kTileEntropies,
  kSharedKernels
};

/// One kernel for each size of tiles. All are the same if the kernel has no tiles.
using KernelsBySize = std::array<int, kTileSizes>;

/// The kernels of a program for the batched engine: one module of CUDA C++, and the kernel of each entry.
struct BatchedKernels {
  static constexpr int kNone = -1;

  static constexpr KernelsBySize kNoKernels{kNone, kNone, kNone};

  struct Kernel {
    std::string name;                     // empty if the program does not need it
    int shared_bytes = 0;                 // of dynamic shared memory
    int tile_rows = 0, tile_columns = 0;  // of a product; 0 for other kernels
  };

  KernelSource source;
  std::vector<Kernel> kernels;  // by number; views have kNone
  std::array<KernelsBySize, kOperations> of_operation{};
  std::vector<int> of_loop;             // by number of an element-wise loop
  std::vector<KernelsBySize> of_group;  // by number of a group
  KernelsBySize transposed_product = kNoKernels;
  KernelsBySize logits = kNoKernels, dx = kNoKernels, dw = kNoKernels;  // for a tile of a softmax over words

  /// The kernels of an entry. A softmax over words has four. @param transposed  true for a transposed product
  KernelsBySize of(const Code& code, bool transposed) const {
    if (code.operation == kGroup) return of_group[code.group];
    if (code.operation == kProduct && transposed) return transposed_product;
    if (code.operation != kLoop) return of_operation[code.operation];
    return {of_loop[code.number], of_loop[code.number], of_loop[code.number]};
  }
};

/// The source depends only on the program and the options, so its hash is a key for the compiled code.
BatchedKernels batched_kernels(const Program& program, const KernelTables& tables, const KernelOptions& options);

}  // namespace cavs::cuda
