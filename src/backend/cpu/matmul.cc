#include <algorithm>

#include "backend/cpu/isa.h"
#include "backend/cpu/rows_of.h"

namespace cavs::cpu {
namespace {

constexpr int kRowBlock = 192;  // rows that pass through all panels together, so that they stay in the cache

void pack_panel(const float* w, int k, int n, int begin, float* panel) {
  const int columns = std::min(n - begin, kPanel);
  for (int p = 0; p < k; ++p, panel += kPanel) {
    std::copy_n(w + std::int64_t{p} * n + begin, columns, panel);
    std::fill(panel + columns, panel + kPanel, 0.0F);
  }
}

/// As pack_panel, from w: [n, k]; in blocks, so that neither side walks through memory in large strides for long.
void pack_panel_transposed(const float* w, int k, int n, int begin, float* panel) {
  constexpr int kBlock = 16;
  const int columns = std::min(n - begin, kPanel);
  for (int p0 = 0; p0 < k; p0 += kBlock) {
    const int p1 = std::min(p0 + kBlock, k);
    for (int c = 0; c < columns; ++c)
      for (int p = p0; p < p1; ++p) panel[std::int64_t{p} * kPanel + c] = w[std::int64_t{begin + c} * k + p];
    for (int p = p0; p < p1; ++p) std::fill(panel + p * kPanel + columns, panel + (p + 1) * kPanel, 0.0F);
  }
}

}  // namespace

PackedWeight::PackedWeight(int k, int n)
    : k_(k), n_(n), data_(aligned_floats(static_cast<std::size_t>(panels()) * static_cast<std::size_t>(k) * kPanel)) {}

int PackedWeight::panels() const { return (n_ + kPanel - 1) / kPanel; }

const float* PackedWeight::panel(int i) const { return data_.get() + std::int64_t{i} * k_ * kPanel; }

void PackedWeight::pack(const float* w, bool transposed, int panel_begin, int panel_end) {
  for (int i = panel_begin; i < panel_end; ++i)
    (transposed ? pack_panel_transposed : pack_panel)(w, k_, n_, i * kPanel,
                                                      data_.get() + std::int64_t{i} * k_ * kPanel);
}

void matmul(const Isa& isa, const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w,
            Rows y, int panel_begin, int panel_end, Scratch& scratch) {
  const float* zeros = nullptr;
  if (x.index) {
    float* const z = scratch.floats(static_cast<std::size_t>(w.k()));
    std::fill_n(z, w.k(), 0.0F);
    zeros = z;
  }
  const float* rows[kRowBlock];
  for (std::int32_t r = row_begin; r < row_end; r += kRowBlock) {
    const int count = std::min(row_end - r, kRowBlock);
    rows_of(x, r, count, zeros, rows);
    for (int p = panel_begin; p < panel_end; ++p)
      isa.product(rows, count, w.k(), w.panel(p), y.base + r * y.stride + p * kPanel, y.stride,
                  std::min(w.n() - p * kPanel, kPanel));
  }
}

void matmul(const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w, Rows y,
            int panel_begin, int panel_end, Scratch& scratch) {
  matmul(isa(), x, row_begin, row_end, w, y, panel_begin, panel_end, scratch);
}

}  // namespace cavs::cpu
