#include "backend/cpu/bf16.h"

#include <algorithm>

#include "backend/cpu/rows_of.h"
#include "support/split_range.h"

namespace cavs::cpu {
namespace {

constexpr int kListedSlices = 64;    // slices per call of `product`
constexpr int kGradientSlices = 16;  // slices of dy that are rounded at a time

/// Returns memory of floats as memory of numbers in bf16.
Bf16* numbers(float* from) { return reinterpret_cast<Bf16*>(from); }
std::size_t floats_for(std::int64_t bytes) { return static_cast<std::size_t>(bytes) / sizeof(float); }

/// Returns the number of rows of the left operand that are multiplied by all slices before the next rows are. This is
/// the number of rows that fit into L1. If so few fit that slices would be read too often, it is kRowBlock. The rows
/// are then read from L2, while two slices stay in L1.
int rows_at_once(int steps) {
  const std::int64_t held = first_cache_bytes() / 3 * 2 / std::int64_t{sizeof(Bf16)};  // numbers of the rows in L1
  const std::int64_t in_l1 = held / (std::int64_t{steps} * kTileDepth) / (2 * kTileSide) * (2 * kTileSide);
  return in_l1 < 4 * kTileSide ? kRowBlock : static_cast<int>(std::min<std::int64_t>(in_l1, kRowBlock));
}

/// The instruction set for which this thread has called begin() but not yet end() (TileScope); nullptr if none.
thread_local const Bf16Isa* prepared = nullptr;

}  // namespace

TileScope::TileScope(const Bf16Isa* isa) : before_(prepared) {
  if (isa == nullptr || isa == prepared || isa->begin == nullptr) return;
  prepared = began_ = isa;
  isa->begin();
}

TileScope::TileScope(Precision precision) : TileScope(precision == Precision::kBf16 ? bf16_isa() : nullptr) {}

TileScope::~TileScope() {
  if (began_ == nullptr) return;
  began_->end();
  prepared = before_;
}

void matmul(const Bf16Isa& isa, const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w,
            std::span<const ProductOut> y, int unit_begin, int unit_end, Scratch& scratch) {
  const TileScope tiles(&isa);
  const int k = w.k(), steps = bf16_steps(k), at_once = rows_at_once(steps);
  const std::size_t left_floats = floats_for(isa.left_bytes * left_size(std::min(at_once, row_end - row_begin), steps));
  float* const memory = scratch.floats(left_floats + static_cast<std::size_t>(k));
  float* const zeros = memory + left_floats;
  std::fill_n(zeros, k, 0.0F);
  const float* rows[kRowBlock];
  SliceOut out[kListedSlices];
  const int end = w.slices_of(unit_end);
  for (std::int32_t r = row_begin; r < row_end; r += at_once) {
    const int count = std::min(row_end - r, at_once);
    rows_of(x, r, count, zeros, rows);
    isa.round_rows(rows, count, k, numbers(memory));
    for (int s = w.slices_of(unit_begin); s < end; s += kListedSlices) {
      const int slices = std::min(end - s, kListedSlices);
      for (int i = 0; i < slices; ++i) {
        const auto [part, column, columns] = w.slice(s + i);
        const ProductOut& to = y[static_cast<std::size_t>(part)];
        out[i] = {to.rows.base + r * to.rows.stride + column, to.rows.stride, columns, to.add};
      }
      isa.product({numbers(memory), count, steps, reinterpret_cast<const Bf16*>(w.slice_data(s)),
                   std::int64_t{steps} * kTileNumbers, out, slices});
    }
  }
}

void matmul_tn(const Bf16Isa& isa, const ConstRows& x, const ConstRows& dy, std::int32_t rows, float* dw,
               bool accumulate, int worker, int workers, Scratch& scratch) {
  const int n = dy.width;
  const bool by_columns = n >= kTileSide * workers;
  const Range<int> ks = by_columns ? Range<int>{0, x.width} : split_range(0, x.width, worker, workers, kTileSide);
  const Range<int> ns = by_columns ? split_range(0, n, worker, workers, kTileSide) : Range<int>{0, n};
  const int height = ks.end - ks.begin, width = ns.end - ns.begin;
  if (height <= 0 || width <= 0) return;
  if (rows == 0 && !accumulate)
    for (int i = ks.begin; i < ks.end; ++i) std::fill_n(dw + std::int64_t{i} * n + ns.begin, width, 0.0F);

  const TileScope tiles(&isa);
  constexpr int kSteps = kSumBlock / kTileDepth;
  constexpr std::int64_t kSliceSize = std::int64_t{kSteps} * kTileNumbers;
  const std::size_t left = floats_for(isa.left_bytes * left_size(height, kSteps));
  const std::size_t right = floats_for(sizeof(Bf16) * kGradientSlices * kSliceSize);
  const int widest = std::max(x.width, n);
  float* const memory = scratch.floats(left + right + static_cast<std::size_t>(widest));
  Bf16 *const a = numbers(memory), *const b = numbers(memory + left);
  float* const zeros = memory + left + right;
  std::fill_n(zeros, widest, 0.0F);
  const float *x_rows[kSumBlock], *dy_rows[kSumBlock];
  SliceOut out[kGradientSlices];
  for (std::int32_t r = 0; r < rows; r += kSumBlock) {
    const int count = std::min(rows - r, kSumBlock), steps = bf16_steps(count), depth = steps * kTileDepth;
    rows_of(x, r, count, zeros, x_rows);
    rows_of(dy, r, count, zeros, dy_rows);
    std::fill(x_rows + count, x_rows + depth, zeros);
    std::fill(dy_rows + count, dy_rows + depth, zeros);
    isa.round_columns(x_rows, depth, ks.begin, ks.end, a);
    for (int begin = ns.begin; begin < ns.end; begin += kGradientSlices * kSlice) {
      const int end = std::min(begin + kGradientSlices * kSlice, ns.end);
      isa.pair_rows(dy_rows, depth, begin, end, b, kSliceSize);
      int slices = 0;
      for (int c = begin; c < end; c += kSlice)
        out[slices++] = {dw + std::int64_t{ks.begin} * n + c, n, std::min(end - c, kSlice), accumulate || r > 0};
      isa.product({a, height, steps, b, kSliceSize, out, slices});
    }
  }
}

}  // namespace cavs::cpu
