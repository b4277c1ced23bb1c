// Products of bf16 in plain code that follows the definition (Bf16Isa). The other implementations must be bit-identical
// to this one. Only the multiply-adds of a tile are vectorised, by the instruction set that isa() returns. A left
// operand is row-major here, with steps * 32 numbers per row.

#include <algorithm>

#include "backend/cpu/bf16.h"

namespace cavs::cpu {
namespace {

void round_rows(const float* const* x, int rows, int k, Bf16* left) {
  const int depth = bf16_steps(k) * kTileDepth;
  std::fill_n(left, left_size(rows, bf16_steps(k)), Bf16{0});
  for (int r = 0; r < rows; ++r, left += depth) std::transform(x[r], x[r] + k, left, to_bf16);
}

void round_columns(const float* const* x, int count, int begin, int end, Bf16* left) {
  std::fill_n(left, left_size(end - begin, count / kTileDepth), Bf16{0});
  for (int r = 0; r < count; ++r)
    for (int c = begin; c < end; ++c) left[std::int64_t{c - begin} * count + r] = to_bf16(x[r][c]);
}

void pair_rows(const float* const* x, int count, int begin, int end, Bf16* right, std::int64_t slice_stride) {
  for (int c = begin; c < end; c += kSlice) {
    Bf16* const slice = right + (c - begin) / kSlice * slice_stride;
    std::fill_n(slice, std::int64_t{count} * kSlice, Bf16{0});
    for (int r = 0; r < count; ++r)
      for (int i = 0; i < std::min(end - c, kSlice); ++i)
        slice[place_in_slice(kEmulatedBf16, r, i)] = to_bf16(x[r][c + i]);
  }
}

void pair_columns(const float* const* x, int count, int k, Bf16* slice) {
  std::fill_n(slice, std::int64_t{bf16_steps(k)} * kTileNumbers, Bf16{0});
  for (int c = 0; c < count; ++c)
    for (int p = 0; p < k; ++p) slice[place_in_slice(kEmulatedBf16, p, c)] = to_bf16(x[c][p]);
}

void product(const Bf16Product& p) {
  const std::int64_t depth = std::int64_t{p.steps} * kTileDepth;
  float sums[kTileSide * kTileSide];
  for (int s = 0; s < p.slice_count; ++s)
    for (int row = 0; row < p.rows; row += kTileSide) {
      isa().bf16_tile(p.left + row * depth, depth, p.slices + s * p.slice_stride, p.steps, sums);
      const SliceOut& out = p.out[s];
      for (int i = 0; i < std::min(p.rows - row, kTileSide); ++i)
        for (int j = 0; j < out.columns; ++j) {
          float& y = out.y[(row + i) * out.stride + j];
          y = out.add ? y + sums[i * kTileSide + j] : sums[i * kTileSide + j];
        }
    }
}

}  // namespace

const Bf16Isa kEmulatedBf16{.name = "emulated",
                            .pair_distance = 1,
                            .left_bytes = 2,
                            .round_rows = round_rows,
                            .round_columns = round_columns,
                            .pair_rows = pair_rows,
                            .pair_columns = pair_columns,
                            .product = product,
                            .multiply_adds = nullptr,
                            .begin = nullptr,
                            .end = nullptr};

}  // namespace cavs::cpu
