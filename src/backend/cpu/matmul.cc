#include <algorithm>

#include "backend/cpu/bf16.h"
#include "backend/cpu/isa.h"
#include "backend/cpu/rows_of.h"

namespace cavs::cpu {
namespace {

constexpr int kMaxSlices = 64;  // whose destinations are listed at a time

/// Where slices [begin, begin + count) of w go, for rows from `row` on.
void list_outputs(const PackedWeight& w, std::span<const ProductOut> y, int begin, int count, std::int32_t row,
                  SliceOut* out) {
  for (int i = 0; i < count; ++i) {
    const auto [part, column, columns] = w.slice(begin + i);
    const ProductOut& to = y[static_cast<std::size_t>(part)];
    out[i] = {to.rows.base + row * to.rows.stride + column, to.rows.stride, columns, to.add};
  }
}

/// Whether so many slices of w leave the second cache before they are read again: other weights, the rows and what is
/// made of them pass through it in between.
bool is_far(const Isa& isa, const PackedWeight& w, int slices) {
  return isa.has_far_products && !w.is_view() &&
         w.slice_size() * slices * static_cast<std::int64_t>(sizeof(float)) > second_cache_bytes() / 4;
}

/// Asks for all lines of a few rows at once. Another core may have written them a moment ago; a product that comes to
/// them one by one waits for each.
void prefetch(const float* const* rows, int count, int k) {
  constexpr int kFew = 8;
  if (count > kFew) return;
  for (int i = 0; i < count; ++i)
    for (int c = 0; c < k; c += kSlice) __builtin_prefetch(rows[i] + c);
}

/// Rows whose copy takes no more than half of the second cache.
std::int32_t far_rows(int k) {
  constexpr std::int32_t kFewest = 16;
  const std::int64_t row = far_space(1, k) * static_cast<std::int64_t>(sizeof(float));
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(second_cache_bytes() / 2 / row, kFewest, kRowBlock));
}

/// Calls f(part, first column, end) for the columns of units [begin, end), as many as lie side by side at a time.
template <typename F>
void each_columns(const PackedWeight& w, int begin, int end, F f) {
  const int in_unit = w.slices_of(1);
  for (int i = 0; i < in_unit; ++i)
    for (int unit = begin; unit < end;) {
      const PackedWeight::Slice& first = w.slice(w.slices_of(unit) + i);
      int to = first.column + first.columns;
      for (++unit; unit < end; ++unit) {
        const PackedWeight::Slice& next = w.slice(w.slices_of(unit) + i);
        if (next.part != first.part || next.column != to) break;
        to += next.columns;
      }
      f(first.part, first.column, to);
    }
}

void multiply_view(const Isa& isa, const float* const* rows, std::int32_t row, int count, const PackedWeight& w,
                   std::span<const ProductOut> y, int unit_begin, int unit_end) {
  each_columns(w, unit_begin, unit_end, [&](int part, int begin, int end) {
    const ProductOut& to = y[static_cast<std::size_t>(part)];
    isa.product_transposed({rows, count, w.k(), w.viewed(part).data(), begin, end, to.rows.base + row * to.rows.stride,
                            to.rows.stride, to.add});
  });
}

}  // namespace

void matmul(const Isa& isa, const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w,
            std::span<const ProductOut> y, int unit_begin, int unit_end, Scratch& scratch) {
  const int end = w.slices_of(unit_end);
  const bool far = is_far(isa, w, end - w.slices_of(unit_begin));
  const std::int32_t most = std::min(far ? far_rows(w.k()) : kRowBlock, row_end - row_begin);
  const std::int64_t space = far ? far_space(most, w.k()) : 0;
  float* const memory = scratch.floats(static_cast<std::size_t>(space + w.k()));
  float* const zeros = memory + space;
  if (x.index) std::fill_n(zeros, w.k(), 0.0F);
  const float* rows[kRowBlock];
  SliceOut out[kMaxSlices];
  for (std::int32_t r = row_begin; r < row_end; r += most) {
    const int count = std::min(row_end - r, most);
    rows_of(x, r, count, zeros, rows);
    prefetch(rows, count, w.k());
    if (w.is_view()) {
      multiply_view(isa, rows, r, count, w, y, unit_begin, unit_end);
      continue;
    }
    for (int i = w.slices_of(unit_begin); i < end; i += kMaxSlices) {
      const int slices = std::min(end - i, kMaxSlices);
      list_outputs(w, y, i, slices, r, out);
      isa.product({rows, count, w.k(), w.slice_data(i), w.slice_size(), out, slices, far, memory});
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
