#pragma once

#include "backend/cpu/vec_batch_product.h"
#include "backend/cpu/vec_best.h"
#include "backend/cpu/vec_bf16.h"
#include "backend/cpu/vec_cross_entropy.h"
#include "backend/cpu/vec_gradient.h"
#include "backend/cpu/vec_gradient_wide.h"
#include "backend/cpu/vec_log_matmul.h"
#include "backend/cpu/vec_norms.h"
#include "backend/cpu/vec_peak.h"
#include "backend/cpu/vec_product.h"
#include "backend/cpu/vec_product_wide.h"
#include "backend/cpu/vec_rows.h"
#include "backend/cpu/vec_softmax_cross_entropy.h"
#include "backend/cpu/vec_tile.h"
#include "backend/cpu/vec_transpose.h"
#include "backend/cpu/vec_window.h"

namespace cavs::cpu::CAVS_ISA {

inline constexpr NamedRowKernel kRowKernels[] = {
    {"softmax", softmax},
    {"log_softmax", log_softmax},
    {"sum_features", sum_features},
    {"mean_features", mean_features},
    {"max_features", max_features},
    {"max_features_grad", max_features_grad},
    {"log_sum_exp", log_sum_exp},
    {"hard_max", hard_max},
    {"log_matmul", log_matmul},
    {"log_matmul_grad", log_matmul_grad},
    {"max_matmul", max_matmul},
    {"max_matmul_grad", max_matmul_grad},
    {"dot", dot},
    {"layer_norm", layer_norm},
    {"layer_norm_grad", layer_norm_grad},
    {"softmax_cross_entropy", softmax_cross_entropy},
    {"softmax_cross_entropy_grad", softmax_cross_entropy_grad},
    {"sum_children", sum_children},
    {"mean_children", mean_children},
    {"mean_children_grad", mean_children_grad},
    {"max_children", max_children},
    {"softmax_children", softmax_children},
    {"max_children_grad", max_children_grad},
    {"batch_matmul", batch_matmul},
    {"batch_matmul_left", batch_matmul_left},
    {"batch_matmul_right", batch_matmul_right},
    {"batch_matmul_sum", batch_matmul_sum},
    {"unfold", unfold},
    {"fold", fold},
    {"max_pool2d", max_pool2d},
    {"max_pool2d_grad", max_pool2d_grad},
    {"average_pool2d", average_pool2d},
    {"average_pool2d_grad", average_pool2d_grad},
};

/// Returns all loops of this instruction set.
constexpr Isa make_isa(const char* name) {
  return {.name = name,
          .lanes = kLanes,
          .native_lanes = kNativeLanes,
          .strip = kWide ? kWideStrip : kTileRows,
          .strip_panel = kWide ? kWidePanel : kStripPanel,
          .gradient_space = kWide ? kWideGradientSpace : kGradientSpace,
          .has_far_products = kWide,
          .run_tile = run_tile,
          .product = any_product,
          .gradient_block = any_gradient_block,
          .gradient_strips = gradient_strips,
          .sum_block = sum_block,
          .transpose = transpose,
          .transpose_slice = transpose_slice,
          .add_squares = add_squares,
          .largest_magnitude = largest_magnitude,
          .square_sum = square_sum,
          .cross_entropy = cross_entropy,
          .best_words = best_words,
          .log_softmax_at = log_softmax_at,
          .bf16_tile = bf16_tile,
          .multiply_adds = multiply_adds,
          .peak_chains = kPeakChains,
          .row_kernels = kRowKernels,
          .row_kernel_count = sizeof(kRowKernels) / sizeof(kRowKernels[0])};
}

}  // namespace cavs::cpu::CAVS_ISA
