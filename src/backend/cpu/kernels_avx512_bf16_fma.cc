// Products of bf16 by AVX-512's multiply-adds of fp32, for processors whose instruction for bf16 is slow. Processors
// designed for AMX were measured to do half as many multiply-adds per cycle with that instruction as in fp32
// (docs/measurements/kernels.md). A product of two numbers in bf16 is exact in fp32, so results are bit-identical to
// AMX. Denormals are treated as in bf16_emulated.cc, because the rounding instruction, which flushes them to zero, is
// not used either. The left operand is stored in fp32, rounded; the right one is expanded to fp32 when it is read.

#if defined(__AVX512BW__)  // compiled with these flags on x86-64 only (src/CMakeLists.txt)

#define CAVS_ISA avx512_bf16_fma
#include "backend/cpu/vec_bf16_operands.h"

namespace cavs::cpu {
namespace CAVS_ISA {

constexpr int kPairs = kTileDepth / 2;  // pairs of an even and an odd k per step
constexpr int kMaxRows = 8;             // even, odd and finished sums of so many rows fit into registers

/// Returns the address of a row in the left operand, [row tile][step][kTileSide][kTileDepth].
inline float* left_at(Bf16* left, int row, int steps) {
  return reinterpret_cast<float*>(left) + std::int64_t{row / kTileSide} * steps * kTileNumbers +
         row % kTileSide * kTileDepth;
}

inline Vec rounded(Vec x) { return from_bits(round(x) & 0xFFFF0000U); }

/// Returns numbers [begin, begin + kLanes) of a row that ends at `end`, padded with zeros.
inline Vec part_of(const float* x, int begin, int end) {
  if (end - begin >= kLanes) return load(x + begin);
  return end > begin ? load_part(x + begin, end - begin) : Vec{};
}

inline void round_left_rows(const float* const* x, int rows, int k, Bf16* left) {
  const int steps = bf16_steps(k);
  for (int r = 0; r < rows; ++r) {
    float* to = left_at(left, r, steps);
    for (int i = 0; i < steps * kTileDepth; i += kTileDepth, to += kTileNumbers) {
      store(to, rounded(part_of(x[r], i, k)));
      store(to + kLanes, rounded(part_of(x[r], i + kLanes, k)));
    }
  }
}

inline void round_left_columns(const float* const* x, int count, int begin, int end, Bf16* left) {
  const int steps = count / kTileDepth;
  for (int r = 0; r < count; r += kLanes)
    for (int c = begin; c < end; c += kTileSide) {
      Vec lanes[kLanes];
      for (int i = 0; i < kLanes; ++i) lanes[i] = rounded(part_of(x[r + i], c, end));
      transpose_pairs(lanes);
      float* const to = left_at(left, c - begin, steps) + r / kTileDepth * kTileNumbers + r % kTileDepth;
      for (int i = 0; i < kLanes; ++i) store(to + i * kTileDepth, lanes[i]);
    }
}

/// Multiplies rows [row, row + kRows) of the left operand, all in one tile, by kSlices neighbouring slices.
template <int kRows, int kSlices>
void multiply_rows(const Bf16Product& p, int row, int slice) {
  const float* left = left_at(const_cast<Bf16*>(p.left), row, p.steps);
  const Bf16* right = p.slices + slice * p.slice_stride;
  Vec even[kRows][kSlices], odd[kRows][kSlices], c[kRows][kSlices];
  const auto each_sum = [](auto f) { each<kRows>([&](auto i) { each<kSlices>([&](auto t) { f(i, t); }); }); };
  each_sum([&](auto i, auto t) { c[i][t] = Vec{}; });
  for (int s = 0; s < p.steps; ++s, left += kTileNumbers, right += kTileNumbers) {
    each_sum([&](auto i, auto t) { even[i][t] = odd[i][t] = Vec{}; });
    each<kPairs>([&](auto pair) {
      each<kSlices>([&](auto t) {
        Bits both;
        __builtin_memcpy(&both, right + pair * 2 * kSlice + t * p.slice_stride, sizeof(both));
        const Vec first = from_bits(both << 16), second = from_bits(both & 0xFFFF0000U);
        each<kRows>([&](auto i) {
          const float* const numbers = left + i * kTileDepth + 2 * pair;
          even[i][t] = fma(splat(numbers[0]), first, even[i][t]);
          odd[i][t] = fma(splat(numbers[1]), second, odd[i][t]);
        });
      });
    });
    each_sum([&](auto i, auto t) { c[i][t] += even[i][t] + odd[i][t]; });
  }
  each_sum([&](auto i, auto t) { write_sum(p.out[slice + t], row + i, c[i][t]); });
}

using Kernel = void (*)(const Bf16Product&, int row, int slice);

inline void multiply(const Bf16Product& p, int slice) {
  static constexpr Kernel kKernels[kMaxRows] = {multiply_rows<1, 1>, multiply_rows<2, 1>, multiply_rows<3, 1>,
                                                multiply_rows<4, 1>, multiply_rows<5, 1>, multiply_rows<6, 1>,
                                                multiply_rows<7, 1>, multiply_rows<8, 1>};
  for (int row = 0; row < p.rows; row += kMaxRows)
    kKernels[(p.rows - row < kMaxRows ? p.rows - row : kMaxRows) - 1](p, row, slice);
}

/// Computes the product. Few rows use several slices at a time: eight independent sums hide a multiply-add's latency.
inline void product(const Bf16Product& p) {
  static constexpr Kernel kFewRows[] = {multiply_rows<1, 4>, multiply_rows<2, 4>, multiply_rows<3, 2>,
                                        multiply_rows<4, 2>};
  int s = 0;
  if (p.rows <= 4)
    for (const int slices = p.rows <= 2 ? 4 : 2; s + slices <= p.slice_count; s += slices)
      kFewRows[p.rows - 1](p, 0, s);
  for (; s < p.slice_count; ++s) multiply(p, s);
}

}  // namespace CAVS_ISA

extern const Bf16Isa kAvx512Bf16Fma;
constinit const Bf16Isa kAvx512Bf16Fma{.name = "avx512_bf16_fma",
                                       .pair_distance = 1,
                                       .left_bytes = 4,
                                       .round_rows = avx512_bf16_fma::round_left_rows,
                                       .round_columns = avx512_bf16_fma::round_left_columns,
                                       .pair_rows = avx512_bf16_fma::pair_rows<1>,
                                       .pair_columns = avx512_bf16_fma::pair_columns<1>,
                                       .product = avx512_bf16_fma::product,
                                       .multiply_adds = nullptr,
                                       .begin = nullptr,
                                       .end = nullptr};

}  // namespace cavs::cpu

#endif
