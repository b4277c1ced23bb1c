#pragma once

// Copies between the arena and rows in the caller's memory: inputs, outputs and their gradients. A warp copies a row.

#include "backend/cuda/batched/launch.h"
#include "backend/cuda/device/warps.cuh"
#include "backend/cuda/entries/device/operands.cuh"

namespace cavs::cuda {

/// Copies rows. @param words  the words (packed_script.h) of one copy
CAVS_DEVICE void copy_rows(const KernelArguments& a, const i32* words) {
  const Operand own = find_operand(a, words + kCopyOperand);
  float* const callers = load(a.callers + load_fixed(words + kCopyCaller));
  const i32* const list = a.words + load_fixed(words + kCopyList);
  const i32 rows = load_fixed(words + kCopyRows), kind = load_fixed(words + kCopyKind);
#pragma unroll 1
  for (i32 r = processor() * kWarps + warp(); r < rows; r += processors() * kWarps) {
    const i32 number = load_fixed(list + r);
    if (number < 0 && kind != kFromCaller) continue;
    float* const row = callers + static_cast<i64>(number) * own.width;
#pragma unroll 1
    for (i32 c = lane(); c < own.width; c += 32) {
      if (kind == kFromCaller)
        own.put(r, c, callers == nullptr || number < 0 ? 0.0F : load(row + c));
      else
        store(row + c, kind == kAddToCaller ? load(row + c) + own.at(r, c) : own.at(r, c));
    }
  }
}

/// Runs `launch.tile` copies of the minibatch, from number `launch.entry`.
CAVS_DEVICE void run_copy_rows(const Launch& launch) {
  begin_launch();
  const KernelArguments a = load(&launch.pass->arguments);
  const i32* const words = a.words + load_fixed(a.words + kCopiesWord);
#pragma unroll 1
  for (i32 copy = launch.entry; copy < launch.entry + launch.tile; ++copy) copy_rows(a, words + copy * kCopyWords);
}

}  // namespace cavs::cuda
