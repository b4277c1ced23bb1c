#pragma once

#include <bit>
#include <cstdint>

#include "backend/cpu/isa.h"
#include "backend/cpu/kernels.h"

/// Products of numbers rounded to bf16, with sums in fp32: tiles of 16 x 16 results over steps of 32 (AMX, or AVX-512
/// or plain code that computes the same). The drivers exist once. An instruction set supplies its loops and the order
/// of its operands in memory.
namespace cavs::cpu {

using Bf16 = std::uint16_t;

inline constexpr int kTileSide = 16;                         // rows and columns of a tile of results
inline constexpr int kTileDepth = 32;                        // multiply-adds per step
inline constexpr int kTileNumbers = kTileSide * kTileDepth;  // numbers per step of an operand's tile
static_assert(kSlice == kTileSide);

/// Number of steps of a sum of k products.
inline __attribute__((always_inline)) int bf16_steps(int k) { return (k + kTileDepth - 1) / kTileDepth; }

/// Rounds to nearest, ties to even. NaN stays NaN.
inline Bf16 to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (x != x) return static_cast<Bf16>((bits >> 16) | 0x40);
  return static_cast<Bf16>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}
inline float from_bf16(Bf16 x) { return std::bit_cast<float>(std::uint32_t{x} << 16); }

/// The product of a left operand (rounded, in the order of its instruction set) and slices of a right one. The result
/// of slice i and row r of the left operand goes to out[i].y + r * out[i].stride.
struct Bf16Product {
  const Bf16* left;  // made by round_rows or round_columns
  int rows, steps;
  const Bf16* slices;         // steps * kTileNumbers numbers each
  std::int64_t slice_stride;  // numbers from slice to slice
  const SliceOut* out;        // [slice_count]
  int slice_count;
};

/// Size of a left operand in numbers, including padding to pairs of tiles.
inline std::int64_t left_size(int rows, int steps) {
  return std::int64_t{(rows + 2 * kTileSide - 1) / (2 * kTileSide)} * 2 * steps * kTileNumbers;
}

/// An instruction set for products of bf16. Each result is a sum over steps: the chain of multiply-adds over the even k
/// of a step, plus the chain over the odd k, is added to the sum of the previous steps. That is Intel's definition of
/// TDPBF16PS, except for denormals. The finished sum is stored, or added to the destination.
///
/// Each operand is rounded by one of four loops, which writes it in the order in which `product` reads it.
struct Bf16Isa {
  const char* name;
  /// The neighbouring numbers 2 i and 2 i + 1 in a column of a right operand are k and k + pair_distance.
  int pair_distance;
  int left_bytes;  // bytes of a left operand per number of left_size()

  /// Rounds a left operand: rows of k numbers.
  void (*round_rows)(const float* const* x, int rows, int k, Bf16* left);
  /// Rounds a left operand: columns [begin, end) of `count` rows (a multiple of kTileDepth) become its rows.
  void (*round_columns)(const float* const* x, int count, int begin, int end, Bf16* left);
  /// Rounds a right operand: columns [begin, end) of `count` rows (a multiple of kTileSide) as slices, which are
  /// slice_stride numbers apart. The last slice is padded with zeros.
  void (*pair_rows)(const float* const* x, int count, int begin, int end, Bf16* right, std::int64_t slice_stride);
  /// Rounds a right operand: at most kTileSide rows of k numbers become the columns of one slice. Other columns, and
  /// the rest of the last step, are zero.
  void (*pair_columns)(const float* const* x, int count, int k, Bf16* slice);
  void (*product)(const Bf16Product& product);
  /// See multiply_adds in kernels.h. nullptr if it uses multiply-adds of fp32.
  double (*multiply_adds)(std::int64_t steps);

  /// Called by a thread before its first product and after its last; nullptr if not needed. See TileScope.
  void (*begin)();
  void (*end)();
};

/// Position of number k of a column in its slice.
inline std::int64_t place_in_slice(const Bf16Isa& isa, int k, int column) {
  const int d = isa.pair_distance, pair = k / (2 * d) * d + k % d;
  const bool second = k / d % 2 != 0;
  return (std::int64_t{pair} * kSlice + column) * 2 + (second == (d == 1) ? 1 : 0);
}

/// The instruction sets that can run here: "amx", "avx512_bf16", "avx512_bf16_fma"; the last one is always "emulated".
/// Builds with CAVS_TEST_KERNELS also have "amx_model", the code of AMX on modelled tiles (backend/cpu/amx_model.h).
std::span<const Bf16Isa* const> available_bf16_isas();

/// The one that CAVS_BF16 selects, or the best one with instructions for bf16, or nullptr if there is none.
/// @throws UserError if CAVS_BF16 is anything but 'emulate', or in builds with CAVS_TEST_KERNELS 'amx_model'.
const Bf16Isa* bf16_isa();
extern const Bf16Isa kEmulatedBf16;

// matmul and matmul_tn of kernels.h, on a given instruction set.
void matmul(const Bf16Isa& isa, const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w,
            std::span<const ProductOut> y, int unit_begin, int unit_end, Scratch& scratch);
void matmul_tn(const Bf16Isa& isa, const ConstRows& x, const ConstRows& dy, std::int32_t rows, float* dw,
               bool accumulate, int worker, int workers, Scratch& scratch);

}  // namespace cavs::cpu
