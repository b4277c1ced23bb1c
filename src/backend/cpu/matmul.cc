#include <algorithm>

#include "backend/cpu/bf16.h"
#include "backend/cpu/isa.h"
#include "backend/cpu/rows_of.h"

namespace cavs::cpu {
namespace {

constexpr int kMaxSlices = 64;  // slices per call of Isa::product

/// Writes the destinations of slices [begin, begin + count) of w to `out`, for rows from `row`.
void list_outputs(const PackedWeight& w, std::span<const ProductOut> y, int begin, int count, std::int32_t row,
                  SliceOut* out) {
  for (int i = 0; i < count; ++i) {
    const auto [part, column, columns] = w.slice(begin + i);
    const ProductOut& to = y[static_cast<std::size_t>(part)];
    out[i] = {to.rows.base + row * to.rows.stride + column, to.rows.stride, columns, to.add};
  }
}

/// True if `slices` slices of w are more than a quarter of the second cache. Other weights, rows and results then
/// displace them before they are read again.
bool is_streamed(const Isa& isa, const PackedWeight& w, int slices) {
  return isa.has_far_products &&
         w.slice_size() * slices * static_cast<std::int64_t>(sizeof(float)) > second_cache_bytes() / 4;
}

/// If there are few rows, prefetches all their cache lines. Another core may just have written the rows, and a product
/// without the prefetch would wait for one line after the other.
void prefetch(const float* const* rows, int count, int k) {
  constexpr int kFew = 8;
  if (count > kFew) return;
  for (int i = 0; i < count; ++i)
    for (int c = 0; c < k; c += kSlice) __builtin_prefetch(rows[i] + c);
}

/// Returns ProductArgs::block: the bytes of a weight that fit into the first cache together with rows of x and of y.
std::int64_t block_bytes(bool far) { return first_cache_bytes() / (far ? 3 : 2); }

/// Returns the number of rows of x whose copy, as far_product() makes it, fits into half of the second cache.
std::int32_t rows_of_streamed(int k) {
  constexpr std::int32_t kFewest = 16;
  const std::int64_t row = far_space(1, k, far_depth(block_bytes(true))) * static_cast<std::int64_t>(sizeof(float));
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(second_cache_bytes() / 2 / row, kFewest, kRowBlock));
}

}  // namespace

void matmul(const Isa& isa, const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w,
            std::span<const ProductOut> y, int unit_begin, int unit_end, Scratch& scratch) {
  const int end = w.slices_of(unit_end);
  const bool streamed = is_streamed(isa, w, end - w.slices_of(unit_begin)),
             far = streamed && !third_cache_feeds_tiles(isa);
  const std::int32_t most = std::min(streamed ? rows_of_streamed(w.k()) : kRowBlock, row_end - row_begin);
  const std::int64_t space = far ? far_space(most, w.k(), far_depth(block_bytes(true))) : 0;
  float* const memory = scratch.floats(static_cast<std::size_t>(space + w.k()));
  float* const zeros = memory + space;
  if (x.index) std::fill_n(zeros, w.k(), 0.0F);
  const float* rows[kRowBlock];
  SliceOut out[kMaxSlices];
  for (std::int32_t r = row_begin; r < row_end; r += most) {
    const int count = std::min(row_end - r, most);
    rows_of(x, r, count, zeros, rows);
    prefetch(rows, count, w.k());
    for (int i = w.slices_of(unit_begin); i < end; i += kMaxSlices) {
      const int slices = std::min(end - i, kMaxSlices);
      list_outputs(w, y, i, slices, r, out);
      isa.product({rows, count, w.k(), w.slice_data(i), w.slice_size(), out, slices, far, memory, block_bytes(far)});
    }
  }
}

void matmul(const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w,
            std::span<const ProductOut> y, int unit_begin, int unit_end, Scratch& scratch) {
  if (w.precision() == Precision::kBf16)
    matmul(*bf16_isa(), x, row_begin, row_end, w, y, unit_begin, unit_end, scratch);
  else
    matmul(isa(), x, row_begin, row_end, w, y, unit_begin, unit_end, scratch);
}

}  // namespace cavs::cpu
