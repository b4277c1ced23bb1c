#include <algorithm>

#include "backend/cpu/bf16.h"
#include "backend/cpu/isa.h"
#include "backend/cpu/rows_of.h"
#include "support/check.h"

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
bool is_streamed(const Isa& isa, const PackedWeight& w, int slices) {
  return isa.has_far_products &&
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

/// Of a weight, beside the rows of x and of the result that pass it.
std::int64_t block_bytes(bool far) { return first_cache_bytes() / (far ? 3 : 2); }

/// Rows of which a copy takes no more than half of the second cache.
std::int32_t rows_of_streamed(int k) {
  constexpr std::int32_t kFewest = 16;
  const std::int64_t row = far_space(1, k, far_depth(block_bytes(true))) * static_cast<std::int64_t>(sizeof(float));
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

}  // namespace

void multiply_views(const Isa& isa, std::span<const ViewFactor> factors, std::int32_t row_begin, std::int32_t row_end,
                    Range<int> units, Range<int> sums, const ProductOut& y, Scratch& scratch) {
  constexpr int kRows = 32;
  const PackedWeight& w = *factors.front().view;
  const float* rows[kMostFactors][kRows];
  TransposedFactor of[kMostFactors];
  const int count = static_cast<int>(factors.size());
  CAVS_ASSERT(count <= kMostFactors);
  int widest = 0;
  for (const ViewFactor& factor : factors) widest = std::max(widest, factor.view->k());
  float* const zeros = scratch.floats(static_cast<std::size_t>(widest));
  std::fill_n(zeros, widest, 0.0F);
  for (std::int32_t r = row_begin; r < row_end; r += kRows) {
    const int block = std::min(row_end - r, kRows);
    for (int f = 0; f < count; ++f) {
      const ViewFactor& factor = factors[static_cast<std::size_t>(f)];
      rows_of(factor.x, r, block, zeros, rows[f]);
      prefetch(rows[f], block, factor.view->k());
      of[f] = {rows[f], &factor.view->viewed(factor.part)};
    }
    each_columns(w, units.begin, units.end, [&](int part, int begin, int end) {
      if (part != factors.front().part) return;
      isa.product_transposed(
          {of, count, block, begin, end, sums.begin, sums.end, y.rows.base + r * y.rows.stride, y.rows.stride, y.add});
    });
  }
}

void add_sums(const Isa& isa, std::span<const ConstRows> x, std::int32_t row_begin, std::int32_t row_end,
              const PackedWeight& view, int part, Range<int> units, const ProductOut& y) {
  const float* rows[kMostSumParts];
  each_columns(view, units.begin, units.end, [&](int of, int begin, int end) {
    for (std::int32_t r = row_begin; of == part && r < row_end; ++r) {
      for (std::size_t i = 0; i < x.size(); ++i) rows[i] = x[i].base + r * x[i].stride;
      isa.add_sums(rows, static_cast<int>(x.size()), begin, end, y.rows.base + r * y.rows.stride, y.add);
    }
  });
}

void matmul(const Isa& isa, const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w,
            std::span<const ProductOut> y, int unit_begin, int unit_end, Scratch& scratch) {
  if (w.is_view()) {
    for (int part = 0; part < w.parts(); ++part) {
      const ViewFactor factor[] = {{x, &w, part}};
      multiply_views(isa, factor, row_begin, row_end, {unit_begin, unit_end}, {0, w.viewed(part).sums()},
                     y[static_cast<std::size_t>(part)], scratch);
    }
    return;
  }
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

void multiply_views(std::span<const ViewFactor> factors, std::int32_t row_begin, std::int32_t row_end, Range<int> units,
                    Range<int> sums, const ProductOut& y, Scratch& scratch) {
  multiply_views(isa(), factors, row_begin, row_end, units, sums, y, scratch);
}

void add_sums(std::span<const ConstRows> x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& view,
              int part, Range<int> units, const ProductOut& y) {
  add_sums(isa(), x, row_begin, row_end, view, part, units, y);
}

}  // namespace cavs::cpu
