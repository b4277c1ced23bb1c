#pragma once

#include <bit>
#include <cstdint>

#include "backend/cpu/isa.h"
#include "backend/cpu/kernels.h"

/// Products of matrices whose numbers are rounded to bf16, with sums in fp32. Tiles of 16 x 16 results are computed in
/// steps of 32 k, by AMX, or by AVX-512 or plain code with bit-identical results. The code that divides the work is
/// shared. Each instruction set supplies inner loops, and defines the order of its operands in memory (Bf16Isa).
namespace cavs::cpu {

using Bf16 = std::uint16_t;

inline constexpr int kTileSide = 16;                         // rows, and also columns, of a tile of results
inline constexpr int kTileDepth = 32;                        // k per step, so multiply-adds per result and step
inline constexpr int kTileNumbers = kTileSide * kTileDepth;  // numbers of one operand that a tile reads per step
static_assert(kSlice == kTileSide);

/// Returns the number of steps for a sum of k products.
inline __attribute__((always_inline)) int bf16_steps(int k) { return (k + kTileDepth - 1) / kTileDepth; }

/// Rounds to the nearest bf16, ties to even. NaN stays NaN.
inline Bf16 to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (x != x) return static_cast<Bf16>((bits >> 16) | 0x40);
  return static_cast<Bf16>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}
inline float from_bf16(Bf16 x) { return std::bit_cast<float>(std::uint32_t{x} << 16); }

/// A product of a left operand and slices (16 columns each) of a right operand. Both operands are in bf16, in the order
/// of the instruction set. Row r of the product with slice i is written to out[i].y + r * out[i].stride.
struct Bf16Product {
  const Bf16* left;           // made by round_rows or round_columns
  int rows, steps;            // rows of the left operand; steps of kTileDepth k
  const Bf16* slices;         // first slice of the right operand; each has steps * kTileNumbers numbers
  std::int64_t slice_stride;  // numbers from one slice to the next
  const SliceOut* out;        // [slice_count]
  int slice_count;
};

/// Returns the number of bf16 numbers in a left operand, whose rows are padded to pairs of tiles.
inline std::int64_t left_size(int rows, int steps) {
  return std::int64_t{(rows + 2 * kTileSide - 1) / (2 * kTileSide)} * 2 * steps * kTileNumbers;
}

/// An instruction set for products of bf16. A result is a sum over steps. In each step, the chain of multiply-adds over
/// the even k is added to the chain over the odd k, and then to the sum of the previous steps. This is Intel's
/// definition of the instruction TDPBF16PS, except for denormals. The finished sum is stored or added.
///
/// Four loops round operands (left or right, by rows or by columns) and write them in the order that `product` reads.
struct Bf16Isa {
  const char* name;
  /// Distance in k of the two numbers that are neighbours in memory in a column of a right operand (place_in_slice).
  int pair_distance;
  int left_bytes;  // bytes per number of a left operand: 2, or 4 if it is stored in fp32

  /// Rounds a left operand whose rows have k numbers.
  void (*round_rows)(const float* const* x, int rows, int k, Bf16* left);
  /// Rounds a left operand whose rows are columns [begin, end) of `count` rows of x (a multiple of kTileDepth).
  void (*round_columns)(const float* const* x, int count, int begin, int end, Bf16* left);
  /// Rounds a right operand: columns [begin, end) of `count` rows of x (a multiple of kTileSide), in slices that are
  /// slice_stride numbers apart. The last slice is padded with zeros.
  void (*pair_rows)(const float* const* x, int count, int begin, int end, Bf16* right, std::int64_t slice_stride);
  /// Rounds a right operand: at most kTileSide rows of k numbers, which become the columns of one slice. Missing
  /// columns, and the rest of the last step, are zero.
  void (*pair_columns)(const float* const* x, int count, int k, Bf16* slice);
  void (*product)(const Bf16Product& product);
  /// See multiply_adds in kernels.h. nullptr if products use multiply-adds of fp32.
  double (*multiply_adds)(std::int64_t steps);

  /// TileScope calls begin() before a thread's first product, and end() after its last. nullptr if nothing is to do.
  void (*begin)();
  void (*end)();
};

/// Returns the position, in a slice of a right operand, of number k of a column of the slice.
inline std::int64_t place_in_slice(const Bf16Isa& isa, int k, int column) {
  const int d = isa.pair_distance, pair = k / (2 * d) * d + k % d;
  const bool second = k / d % 2 != 0;
  return (std::int64_t{pair} * kSlice + column) * 2 + (second == (d == 1) ? 1 : 0);
}

/// Returns the instruction sets for bf16 that can run here: any of "amx", "avx512_bf16" and "avx512_bf16_fma", and last
/// "emulated". Builds with CAVS_TEST_KERNELS also have "amx_model" (backend/cpu/amx_model.h).
std::span<const Bf16Isa* const> available_bf16_isas();

/// Returns the instruction set that CAVS_BF16 selects, else the best one with instructions for bf16, or nullptr if
/// there is none.
/// @throws UserError if CAVS_BF16 is neither 'emulate' nor, in builds with CAVS_TEST_KERNELS, 'amx_model'.
const Bf16Isa* bf16_isa();
extern const Bf16Isa kEmulatedBf16;

// matmul() and matmul_tn() of kernels.h for a given instruction set.
void matmul(const Bf16Isa& isa, const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w,
            std::span<const ProductOut> y, int unit_begin, int unit_end, Scratch& scratch);
void matmul_tn(const Bf16Isa& isa, const ConstRows& x, const ConstRows& dy, std::int32_t rows, float* dw,
               bool accumulate, int worker, int workers, Scratch& scratch);

}  // namespace cavs::cpu
