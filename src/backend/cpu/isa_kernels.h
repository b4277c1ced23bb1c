#pragma once

#include "backend/cpu/vec_bf16.h"
#include "backend/cpu/vec_cross_entropy.h"
#include "backend/cpu/vec_peak.h"
#include "backend/cpu/vec_product.h"
#include "backend/cpu/vec_rows.h"
#include "backend/cpu/vec_tile.h"
#include "backend/cpu/vec_transpose.h"

namespace cavs::cpu::CAVS_ISA {

/// All loops of this instruction set.
constexpr Isa make_isa(const char* name) {
  return {.name = name,
          .lanes = kLanes,
          .strip = kTileRows,
          .strip_panel = kStripPanel,
          .run_tile = run_tile,
          .product = product,
          .gradient_block = gradient_block,
          .sum_block = sum_block,
          .transpose = transpose,
          .cross_entropy = cross_entropy,
          .bf16_tile = bf16_tile,
          .multiply_adds = multiply_adds,
          .peak_chains = kPeakChains,
          .row_kernels = kRowKernels,
          .row_kernel_count = sizeof(kRowKernels) / sizeof(kRowKernels[0])};
}

}  // namespace cavs::cpu::CAVS_ISA
