#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "backend/cuda/device_files.h"
#include "backend/cuda/entries/kernel_options.h"
#include "backend/cuda/entries/kernel_tables.h"

namespace cavs::cuda {

/// Kernels that every program has, by number.
enum SharedKernel {
  kBeginStretch,
  kClearGradients,
  kSums,
  kUpdateParameters,
  kAddGradients,
  kMoveAverages,
  kBestWords,  // this and the next: of programs that are not for training
  kKeepStates,
  kTileLogits,
  kTileEntropies,
  kTileGradients,
  kSharedKernels
};

/// The kernels of a program for the batched engine: CUDA C++ of one module, and which of them carries out what.
struct BatchedKernels {
  static constexpr int kNone = -1;

  KernelSource source;
  std::vector<std::string> names;  // of the kernels by number; kNone carries out views
  std::array<int, kOperations> of_operation{};
  std::vector<int> of_loop;  // by number of an element-wise loop

  /// The kernel of an entry; of a softmax over words there are three (kTileLogits, ...).
  int of(const Code& code) const {
    return code.operation == kLoop ? of_loop[code.number] : of_operation[code.operation];
  }
};

/// It depends on the program and the options alone, so its hash is a key for what it was compiled to.
BatchedKernels batched_kernels(const Program& program, const KernelTables& tables, const KernelOptions& options);

}  // namespace cavs::cuda
