#pragma once

// Operations that compute one element (r, c) of their last operand. They have the names of their operators. No output
// may overlap an input.

#include "backend/cuda/device/operand.cuh"
#include "backend/cuda/device/operation.h"
#include "backend/cuda/device/warps.cuh"

namespace cavs::cuda {

/// Returns the number to subtract before exp: the largest, or 0 if the largest is infinite.
CAVS_DEVICE float finite_shift(float largest) { return math::abs(largest) == __builtin_inff() ? 0.0F : largest; }

/// Returns element (i, j) of the product of two matrices of a row, [m, k] times [k, n]. One of them may be transposed.
CAVS_DEVICE float matrix_element(const Operand& x, const Operand& y, i32 r, i32 c, i32 m, i32 n, bool left_transposed,
                                 bool right_transposed) {
  const i32 i = quotient(c, n), j = c - i * n, k = quotient(x.width, m);
  const float *left = x.find(r), *right = y.find(r);
  if (left == nullptr || right == nullptr) return 0;
  left += left_transposed ? i : i * k;
  right += right_transposed ? j * k : j;
  const i32 left_step = left_transposed ? m : 1, right_step = right_transposed ? 1 : n;
  float sum = 0;
#pragma unroll 1
  for (i32 p = 0; p < k; ++p) sum = multiply_add(load(left + p * left_step), load(right + p * right_step), sum);
  return sum;
}

/// Returns the sum of a column over a segment (edges of a vertex, or gradients from its parents); 0 if it is empty.
CAVS_DEVICE float segment_sum(const Operand& x, i32 r, i32 c) {
  const i32 begin = x.begin_of(r), end = x.end_of(r);
  float sum = begin < end ? x.at(begin, c) : 0.0F;
#pragma unroll 1
  for (i32 e = begin + 1; e < end; ++e) sum += x.at(e, c);
  return sum;
}

/// `Operands` is as in RowOperations. `operation` is the number of the operation.
template <typename Operands>
struct ElementOperations {
  static CAVS_DEVICE void copy(const Operands& o, i32 r, i32 c) {
    const Operand x = o.x(0), y = o.x(1);
    y.put(r, c, x.at(r, x.width == 1 ? 0 : c));
  }
  static CAVS_DEVICE void one_hot(const Operands& o, i32 r, i32 c) {
    const Operand y = o.x(0);
    y.put(r, c, load_fixed(o.labels() + r) == c ? 1.0F : 0.0F);
  }
  static CAVS_DEVICE void diagonal(const Operands& o, i32 r, i32 c) {
    const Operand x = o.x(0), y = o.x(1);
    const i32 row = quotient(c, x.width), column = c - row * x.width;
    y.put(r, c, row == column ? x.at(r, row) : 0.0F);
  }
  static CAVS_DEVICE void diagonal_gradient(const Operands& o, i32 r, i32 c) {
    const Operand dy = o.x(0), dx = o.x(1);
    dx.put(r, c, dy.at(r, c * dx.width + c));
  }

  // Computes y_j, the maximum over i (or log-sum-exp, in kLogMatmul) of x_i + w_ij, for x [k] and w [k, n].
  static CAVS_DEVICE void max_matmul(const Operands& o, i32 r, i32 c) {
    const Operand x = o.x(0), w = o.x(1), y = o.x(2);
    const i32 n = y.width;
    const auto term = [&](i32 i) { return w.at(r, i * n + c) + x.at(r, i); };
    float largest = term(0), total = 0;
#pragma unroll 1
    for (i32 i = 1; i < x.width; ++i) largest = math::max(largest, term(i));
    if (o.operation != kLogMatmul) return y.put(r, c, largest);
    const float shift = finite_shift(largest);
#pragma unroll 1
    for (i32 i = 0; i < x.width; ++i) total += math::exp(term(i) - shift);
    y.put(r, c, math::log(total) + shift);
  }
  static CAVS_DEVICE void log_matmul_grad(const Operands& o, i32 r, i32 c) {
    const Operand x = o.x(0), w = o.x(1), y = o.x(2), dy = o.x(3), dw = o.x(4);
    const i32 n = y.width, i = quotient(c, n), j = c - i * n;
    const float of = y.at(r, j), term = w.at(r, c) + x.at(r, i);
    dw.put(r, c, math::abs(of) == __builtin_inff() ? 0.0F : math::exp(term - of) * dy.at(r, j));
  }
  /// The first of several equal maxima gets the gradient.
  static CAVS_DEVICE void max_matmul_grad(const Operands& o, i32 r, i32 c) {
    const Operand x = o.x(0), w = o.x(1), y = o.x(2), dy = o.x(3), dw = o.x(4);
    const i32 n = y.width, row = quotient(c, n), j = c - row * n;
    const float of = y.at(r, j);
    const auto is_largest = [&](i32 i) { return same(w.at(r, i * n + j) + x.at(r, i), of); };
    bool takes = is_largest(row);
#pragma unroll 1
    for (i32 i = 0; takes && i < row; ++i) takes = !is_largest(i);
    dw.put(r, c, takes ? dy.at(r, j) : 0.0F);
  }

  static CAVS_DEVICE void batch_matmul(const Operands& o, i32 r, i32 c) {
    const Operand x = o.x(0), y = o.x(1), out = o.x(2);
    const i32 m = o.matrix_rows();
    out.put(r, c,
            matrix_element(x, y, r, c, m, quotient(out.width, m), o.operation == kBatchMatmulLeft,
                           o.operation == kBatchMatmulRight));
  }
  static CAVS_DEVICE void batch_matmul_sum(const Operands& o, i32 r, i32 c) {
    const Operand x = o.x(0), y = o.x(1), z = o.x(2), w = o.x(3), out = o.x(4);
    const i32 m = o.matrix_rows(), n = quotient(out.width, m);
    out.put(r, c, matrix_element(x, y, r, c, m, n, false, false) + matrix_element(z, w, r, c, m, n, false, false));
  }

  // A segment is the edges of a vertex, the vertices of a distinct row, or the gradients from a vertex's parents.
  template <bool kMean>
  static CAVS_DEVICE void sum_segments(const Operands& o, i32 r, i32 c) {
    const Operand x = o.x(0), y = o.x(1);
    const i32 count = x.end_of(r) - x.begin_of(r);
    const float sum = segment_sum(x, r, c);
    y.put(r, c, kMean && count > 0 ? sum / static_cast<float>(count) : sum);
  }
  static CAVS_DEVICE void max_children(const Operands& o, i32 r, i32 c) {
    const Operand x = o.x(0), y = o.x(1);
    const i32 begin = x.begin_of(r), end = x.end_of(r);
    float largest = begin < end ? x.at(begin, c) : 0.0F;
#pragma unroll 1
    for (i32 e = begin + 1; e < end; ++e) largest = math::max(largest, x.at(e, c));
    y.put(r, c, largest);
  }
  static CAVS_DEVICE void softmax_children(const Operands& o, i32 r, i32 c) {
    const Operand x = o.x(0), y = o.x(1);
    const i32 begin = x.begin_of(r), end = x.end_of(r);
    if (begin == end) return;
    float largest = x.at(begin, c), total = 0;
#pragma unroll 1
    for (i32 e = begin + 1; e < end; ++e) largest = math::max(largest, x.at(e, c));
#pragma unroll 1
    for (i32 e = begin; e < end; ++e) total += math::exp_of_negative(x.at(e, c) - largest);
#pragma unroll 1
    for (i32 e = begin; e < end; ++e) y.put(e, c, math::exp_of_negative(x.at(e, c) - largest) / total);
  }
  static CAVS_DEVICE void mean_children_grad(const Operands& o, i32 r, i32 c) {
    const Operand dy = o.x(0), dx = o.x(1);
    const i32 begin = dx.begin_of(r), end = dx.end_of(r);
    if (begin == end) return;
    const float share = dy.at(r, c) / static_cast<float>(end - begin);
#pragma unroll 1
    for (i32 e = begin; e < end; ++e) dx.put(e, c, share);
  }
  static CAVS_DEVICE void max_children_grad(const Operands& o, i32 r, i32 c) {
    const Operand x = o.x(0), y = o.x(1), dy = o.x(2), dx = o.x(3);
    const float largest = y.at(r, c), d = dy.at(r, c);
    bool taken = false;
#pragma unroll 1
    for (i32 e = dx.begin_of(r); e < dx.end_of(r); ++e) {
      const bool takes = !taken && same(x.at(e, c), largest);
      dx.put(e, c, takes ? d : 0.0F);
      taken = taken || takes;
    }
  }
};

}  // namespace cavs::cuda
