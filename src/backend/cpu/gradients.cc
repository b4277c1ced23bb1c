// Sums over rows: gradients of weights, biases and tables.

#include <algorithm>
#include <numeric>

#include "backend/cpu/bf16.h"
#include "backend/cpu/isa.h"
#include "backend/cpu/rows_of.h"
#include "support/check.h"
#include "support/split_range.h"

namespace cavs::cpu {
namespace {

/// Returns the number of units of the worker that has most, divided by units / workers.
double imbalance(int units, int workers) {
  const int largest = (units + workers - 1) / workers;
  return static_cast<double>(largest) * workers / units;
}

/// Returns the part of dw, [k, n], that this worker computes. If dy is narrower than a panel (the columns of the right
/// operand that are computed together), sets `swapped`: dy becomes the left operand. This does not change results.
GradientPart part_of(const Isa& isa, int k, int n, float* dw, int worker, int workers, bool& swapped) {
  swapped = n < isa.strip_panel && k > n;
  const int a = swapped ? n : k, b = swapped ? k : n;
  const int a_units = (a + isa.strip - 1) / isa.strip, b_units = (b + isa.strip_panel - 1) / isa.strip_panel;
  Range<int> as{0, a}, bs{0, b};
  if (imbalance(a_units, workers) < imbalance(b_units, workers))
    as = split_range(0, a, worker, workers, isa.strip);
  else
    bs = split_range(0, b, worker, workers, isa.strip_panel);
  return {as.begin, as.end, bs.begin, bs.end, dw, swapped ? 1 : n, swapped ? n : 1, false};
}

void clear(const GradientPart& part) {
  for (int i = part.a_begin; i < part.a_end; ++i)
    for (int j = part.b_begin; j < part.b_end; ++j) part.dw[i * part.a_stride + j * part.b_stride] = 0;
}

}  // namespace

void matmul_tn(const Isa& isa, const ConstRows& x, const ConstRows& dy, std::int32_t rows, float* dw, bool accumulate,
               int worker, int workers, Scratch& scratch) {
  if (x.width == 0 || dy.width == 0) return;
  bool swapped = false;
  GradientPart part = part_of(isa, x.width, dy.width, dw, worker, workers, swapped);
  if (part.a_begin == part.a_end || part.b_begin == part.b_end) return;
  if (rows == 0 && !accumulate) return clear(part);

  const int widest = std::max(x.width, dy.width);
  const auto space = static_cast<std::size_t>(isa.gradient_space);
  float* const packed = scratch.floats(space + static_cast<std::size_t>(widest));
  float* const zeros = packed + space;
  std::fill_n(zeros, widest, 0.0F);

  const float *x_rows[kSumBlock], *dy_rows[kSumBlock];
  for (std::int32_t r = 0; r < rows; r += kSumBlock) {
    const int count = std::min(rows - r, kSumBlock);
    rows_of(x, r, count, zeros, x_rows);
    rows_of(dy, r, count, zeros, dy_rows);
    part.add = accumulate || r > 0;
    isa.gradient_block(swapped ? dy_rows : x_rows, swapped ? x_rows : dy_rows, count, part, packed);
  }
}

void matmul_tn(const ConstRows& x, const ConstRows& dy, std::int32_t rows, float* dw, bool accumulate, int worker,
               int workers, Scratch& scratch, Precision precision) {
  if (precision == Precision::kBf16)
    matmul_tn(*bf16_isa(), x, dy, rows, dw, accumulate, worker, workers, scratch);
  else
    matmul_tn(isa(), x, dy, rows, dw, accumulate, worker, workers, scratch);
}

void sum_rows(const Isa& isa, const ConstRows& x, std::int32_t rows, float* out, bool accumulate, int worker,
              int workers) {
  const Range<int> columns = split_range(0, x.width, worker, workers, kColumnUnit);
  if (columns.begin == columns.end) return;
  if (rows == 0 && !accumulate) std::fill(out + columns.begin, out + columns.end, 0.0F);
  const float* addresses[kSumBlock];
  for (std::int32_t r = 0; r < rows; r += kSumBlock) {
    rows_of(x, r, std::min(rows - r, kSumBlock), nullptr, addresses);
    const float** const end = std::remove(addresses, addresses + std::min(rows - r, kSumBlock), nullptr);
    isa.sum_block(addresses, static_cast<int>(end - addresses), columns.begin, columns.end, out, accumulate || r > 0);
  }
}

void sum_rows(const ConstRows& x, std::int32_t rows, float* out, bool accumulate, int worker, int workers) {
  sum_rows(isa(), x, rows, out, accumulate, worker, workers);
}

void add_squares(std::span<const float> x, double* sums) {
  isa().add_squares(x.data(), static_cast<std::int64_t>(x.size()), sums);
}

std::int32_t largest_magnitude(std::span<const float> x) {
  return isa().largest_magnitude(x.data(), static_cast<std::int64_t>(x.size()));
}

double square_sum(const float* x, std::int64_t stride, int rows, int columns) {
  return isa().square_sum(x, stride, rows, columns);
}

void add_rows(GradientRows& to, const ConstRows& x, const ConstRows& dy, std::int32_t count, const float* zeros) {
  const int begin = to.ends.empty() ? 0 : to.ends.back();
  CAVS_ASSERT(begin + count <= kSumBlock);
  rows_of(x, 0, count, zeros, to.x + begin);
  rows_of(dy, 0, count, zeros, to.dy + begin);
  to.ends.push_back(begin + count);
}

void gradient_strips(const GradientRows& rows, int row_begin, int row_end, std::span<const int> columns, float* dw) {
  const Isa& set = isa();
  int begin = 0;
  for (const int end : rows.ends) {
    set.gradient_strips(rows.x + begin, row_begin, row_end, rows.dy + begin, columns.data(),
                        static_cast<int>(columns.size()), end - begin, begin > 0, dw);
    begin = end;
  }
}

double sum_of(const double (&sums)[kSquareLanes]) { return std::accumulate(sums, sums + kSquareLanes, 0.0); }

void lookup_grad(const Isa& isa, const ConstRows& dy, const std::int32_t* table_rows, const std::int32_t* offsets,
                 const std::int32_t* rows, std::int32_t count, float* dtable, int worker, int workers) {
  const Range<int> columns = split_range(0, dy.width, worker, workers, kColumnUnit);
  if (columns.begin == columns.end) return;
  const float* addresses[kSumBlock];
  for (std::int32_t i = 0; i < count; ++i) {
    float* const row = dtable + std::int64_t{table_rows[i]} * dy.width;
    for (std::int32_t begin = offsets[i]; begin < offsets[i + 1]; begin += kSumBlock) {
      const int block = std::min(offsets[i + 1] - begin, kSumBlock);
      int found = 0;
      for (int j = 0; j < block; ++j) {
        rows_of(dy, rows[begin + j], 1, nullptr, addresses + found);
        found += addresses[found] != nullptr ? 1 : 0;
      }
      isa.sum_block(addresses, found, columns.begin, columns.end, row, true);
    }
  }
}

void lookup_grad(const ConstRows& dy, const std::int32_t* table_rows, const std::int32_t* offsets,
                 const std::int32_t* rows, std::int32_t count, float* dtable, int worker, int workers) {
  lookup_grad(isa(), dy, table_rows, offsets, rows, count, dtable, worker, workers);
}

}  // namespace cavs::cpu
