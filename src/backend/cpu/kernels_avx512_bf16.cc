// The one source that uses AVX-512's instruction for bf16; called only where available_bf16_isas() found it.
//
// The instruction adds two products to each sum, the one of a pair's second numbers first, and rounds after each. AMX
// keeps two sums a step, over even and over odd k. So that the bits are those of AMX, a pair here is k and k + 2: four
// numbers [0 1 2 3] are read as the pairs [2 0], which go to the even sum, and [3 1], which go to the odd one.

#if defined(__AVX512BF16__)  // compiled with these flags on x86-64 only (src/CMakeLists.txt)

#define CAVS_ISA avx512_bf16
#include "backend/cpu/bf16.h"
#include "backend/cpu/vec.h"

namespace cavs::cpu {
namespace CAVS_ISA {

constexpr int kFours = kTileDepth / 4;
constexpr int kMaxRows = 6;  // whose sums stay in registers

/// A step of both operands, rearranged.
struct alignas(64) Step {
  std::int32_t a[2 * kTileSide][kFours][2];  // by row: the pair of the even sum, that of the odd one
  Bits b[kFours][2][2];                      // the same of 16 columns, of each tile of columns
};

inline void rearrange_rows(const Bf16* a, std::int64_t stride, int rows, Step& step) {
  for (int r = 0; r < rows; ++r) {
    std::uint64_t fours[kFours];
    __builtin_memcpy(fours, a + r * stride, sizeof(fours));
    for (std::uint64_t& f : fours)  // [0 1 2 3] to [2 0 3 1]
      f = (f >> 32 & 0xFFFF) | (f & 0xFFFF) << 16 | (f >> 16 & 0xFFFF00000000) | (f & 0xFFFF0000) << 32;
    __builtin_memcpy(step.a[r], fours, sizeof(fours));
  }
}

inline void rearrange_columns(const Bf16* b, int tile, Step& step) {
  for (int f = 0; f < kFours; ++f) {
    Bits first, second;
    __builtin_memcpy(&first, b + 4 * f * kTileSide, sizeof(first));
    __builtin_memcpy(&second, b + (4 * f + 2) * kTileSide, sizeof(second));
    step.b[f][0][tile] = (second & 0xFFFF) | first << 16;
    step.b[f][1][tile] = second >> 16 | (first & 0xFFFF0000);
  }
}

/// c (+)= one step of rows [row, row + kRows).
template <int kRows, int kColumnTiles>
void multiply_rows(const Step& step, int row, bool add, float* c) {
  Vec sums[2][kRows][kColumnTiles];
  const auto each_sum = [&](auto f) {
    each<2>([&](auto odd) {
      each<kRows>([&](auto i) { each<kColumnTiles>([&](auto t) { f(sums[odd][i][t], odd, i, t); }); });
    });
  };
  each_sum([](Vec& sum, auto...) { sum = Vec{}; });
  for (int f = 0; f < kFours; ++f)
    each_sum([&](Vec& sum, auto odd, auto i, auto t) {
      const auto left = (__m512bh)_mm512_set1_epi32(step.a[row + i][f][odd]);
      sum = (Vec)_mm512_dpbf16_ps((__m512)sum, (__m512bh)step.b[f][odd][t], left);
    });
  each<kRows>([&](auto i) {
    each<kColumnTiles>([&](auto t) {
      const int r = row + i;
      float* const to = c + ((r / kTileSide * 2 + t) * kTileSide + r % kTileSide) * kTileSide;
      store(to, (add ? load(to) : Vec{}) + (sums[0][i][t] + sums[1][i][t]));
    });
  });
}

template <int kColumnTiles>
void block_of(const Bf16Block& block) {
  using Kernel = void (*)(const Step&, int, bool, float*);
  static constexpr Kernel kKernels[kMaxRows] = {
      multiply_rows<1, kColumnTiles>, multiply_rows<2, kColumnTiles>, multiply_rows<3, kColumnTiles>,
      multiply_rows<4, kColumnTiles>, multiply_rows<5, kColumnTiles>, multiply_rows<6, kColumnTiles>,
  };
  Step step;
  for (int s = 0; s < block.steps; ++s) {
    rearrange_rows(block.a + s * kTileDepth, block.a_stride, block.rows, step);
    for (int t = 0; t < kColumnTiles; ++t)
      rearrange_columns(block.b[t] + std::int64_t{s} * kTileSide * kTileDepth, t, step);
    const int groups = (block.rows + kMaxRows - 1) / kMaxRows;
    for (int g = 0, row = 0; g < groups; ++g) {
      const int rows = (block.rows - row + groups - g - 1) / (groups - g);
      kKernels[rows - 1](step, row, s > 0, block.c);
      row += rows;
    }
  }
}

inline void avx512_block(const Bf16Block& block) { block.column_tiles == 2 ? block_of<2>(block) : block_of<1>(block); }

}  // namespace CAVS_ISA

extern const Bf16Isa kAvx512Bf16;
const Bf16Isa kAvx512Bf16{"avx512_bf16", CAVS_ISA::avx512_block};

}  // namespace cavs::cpu

#endif
