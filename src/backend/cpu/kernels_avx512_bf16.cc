// The only source that uses AVX-512's instruction for bf16. It runs only if available_bf16_isas() found it.
//
// The instruction multiplies two vectors of pairs of numbers, and adds two products to each lane: first the product of
// the second numbers, then the product of the first numbers. It rounds after each. AMX has two sums per step, one over
// even k and one over odd k. To be bit-identical to AMX, the numbers of four neighbouring k, [0 1 2 3], are stored as
// the pair [2 0], which is added to the even sum, and the pair [3 1], which is added to the odd sum.

#if defined(__AVX512BF16__)  // compiled with these flags on x86-64 only (src/CMakeLists.txt)

#define CAVS_ISA avx512_bf16
#include "backend/cpu/vec_bf16_operands.h"

namespace cavs::cpu {
namespace CAVS_ISA {

constexpr int kPairs = kTileDepth / 2;  // pairs per step
constexpr int kMaxRows = 4;             // even sums, odd sums and finished sums of 4 rows x 2 slices fit into registers

inline __m512bh pairs(const Bf16* from) {
  __m512i numbers;
  __builtin_memcpy(&numbers, from, sizeof(numbers));
  return (__m512bh)numbers;
}
inline __m512bh one_pair(const Bf16* from) {
  std::int32_t numbers;
  __builtin_memcpy(&numbers, from, sizeof(numbers));
  return (__m512bh)_mm512_set1_epi32(numbers);
}

/// Multiplies rows [row, row + kRows) of a left tile by kSlices neighbouring slices. `left` is the address of row
/// `row`.
template <int kRows, int kSlices>
void multiply_rows(const Bf16* left, const Bf16* right, std::int64_t slice_stride, int steps, const SliceOut* out,
                   int row) {
  Vec sums[2][kRows][kSlices], c[kRows][kSlices];
  each<kRows>([&](auto i) { each<kSlices>([&](auto t) { c[i][t] = Vec{}; }); });
  for (int s = 0; s < steps; ++s, left += kLeftStep, right += kTileNumbers) {
    each<2>([&](auto odd) { each<kRows>([&](auto i) { each<kSlices>([&](auto t) { sums[odd][i][t] = Vec{}; }); }); });
    each<kPairs>([&](auto p) {
      constexpr int kOdd = decltype(p)() % 2;
      __m512bh b[kSlices];
      each<kSlices>([&](auto t) { b[t] = pairs(right + p * 2 * kSlice + t * slice_stride); });
      each<kRows>([&](auto i) {
        const __m512bh a = one_pair(left + i * kTileDepth + 2 * p);
        each<kSlices>([&](auto t) {
          Vec& sum = sums[kOdd][i][t];
          sum = (Vec)_mm512_dpbf16_ps((__m512)sum, b[t], a);
        });
      });
    });
    each<kRows>([&](auto i) { each<kSlices>([&](auto t) { c[i][t] += sums[0][i][t] + sums[1][i][t]; }); });
  }
  each<kRows>([&](auto i) { each<kSlices>([&](auto t) { write_sum(out[t], row + i, c[i][t]); }); });
}

template <int kSlices>
void multiply_slices(const Bf16Product& p, int slice) {
  using Kernel = void (*)(const Bf16*, const Bf16*, std::int64_t, int, const SliceOut*, int);
  static constexpr Kernel kKernels[kMaxRows] = {multiply_rows<1, kSlices>, multiply_rows<2, kSlices>,
                                                multiply_rows<3, kSlices>, multiply_rows<4, kSlices>};
  for (int row = 0; row < p.rows; row += kMaxRows) {
    const int rows = p.rows - row < kMaxRows ? p.rows - row : kMaxRows;
    const Bf16* const left = p.left + left_tile(row, p.steps) + row % kTileSide * kTileDepth;
    kKernels[rows - 1](left, p.slices + slice * p.slice_stride, p.slice_stride, p.steps, p.out + slice, row);
  }
}

inline void product(const Bf16Product& p) {
  int s = 0;
  for (; s + 2 <= p.slice_count; s += 2) multiply_slices<2>(p, s);
  if (s < p.slice_count) multiply_slices<1>(p, s);
}

inline double multiply_adds(std::int64_t steps) {
  constexpr int kChains = 16;
  Vec chains[kChains], sum{};
  each<kChains>([&](auto c) { chains[c] = splat(static_cast<float>(c)); });
  const auto a = (__m512bh)_mm512_set1_epi32(0x3F003F00), b = a;  // each number is 0.5
  for (std::int64_t i = 0; i < steps; ++i)
    each<kChains>([&](auto c) { chains[c] = (Vec)_mm512_dpbf16_ps((__m512)chains[c], a, b); });
  each<kChains>([&](auto c) { sum += chains[c]; });
  [[maybe_unused]] volatile float kept = sum[0];  // keeps the compiler from removing the sums
  return 2.0 * 2 * kLanes * kChains * static_cast<double>(steps);
}

}  // namespace CAVS_ISA

extern const Bf16Isa kAvx512Bf16;
constinit const Bf16Isa kAvx512Bf16{.name = "avx512_bf16",
                                    .pair_distance = 2,
                                    .left_bytes = 2,
                                    .round_rows = avx512_bf16::round_rows<2>,
                                    .round_columns = avx512_bf16::round_columns<2>,
                                    .pair_rows = avx512_bf16::pair_rows<2>,
                                    .pair_columns = avx512_bf16::pair_columns<2>,
                                    .product = avx512_bf16::product,
                                    .multiply_adds = avx512_bf16::multiply_adds,
                                    .begin = nullptr,
                                    .end = nullptr};

}  // namespace cavs::cpu

#endif
