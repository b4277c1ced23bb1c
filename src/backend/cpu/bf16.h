#pragma once

#include <bit>
#include <cstdint>

#include "backend/cpu/isa.h"
#include "backend/cpu/kernels.h"

/// Products of numbers rounded to bf16, summed in fp32: tiles of 16 x 16 results over steps of 32 (AMX; AVX-512 or
/// plain code that does the same). The drivers are written once; an instruction set brings its loops and the order in
/// which they read operands.
namespace cavs::cpu {

using Bf16 = std::uint16_t;

inline constexpr int kTileSide = 16;                         // rows and columns of a tile of results
inline constexpr int kTileDepth = 32;                        // multiply-adds of a step
inline constexpr int kTileNumbers = kTileSide * kTileDepth;  // of a step of an operand's tile
static_assert(kSlice == kTileSide);

/// Steps of a sum of k products.
inline __attribute__((always_inline)) int bf16_steps(int k) { return (k + kTileDepth - 1) / kTileDepth; }

/// Rounds to the nearest, ties to even; a NaN stays one.
inline Bf16 to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (x != x) return static_cast<Bf16>((bits >> 16) | 0x40);
  return static_cast<Bf16>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}
inline float from_bf16(Bf16 x) { return std::bit_cast<float>(std::uint32_t{x} << 16); }

/// A left operand, rounded and in the order of its instruction set, times slices of a right one. Slice i goes to
/// out[i]: row r of the left operand to out[i].y + r * out[i].stride.
struct Bf16Product {
  const Bf16* left;  // of round_rows or round_columns
  int rows, steps;
  const Bf16* slices;         // steps * kTileNumbers each
  std::int64_t slice_stride;  // numbers from one to the next
  const SliceOut* out;        // [slice_count]
  int slice_count;
};

/// Numbers of a left operand, those included that fill its last pair of tiles.
inline std::int64_t left_size(int rows, int steps) {
  return std::int64_t{(rows + 2 * kTileSide - 1) / (2 * kTileSide)} * 2 * steps * kTileNumbers;
}

/// Each result is, step by step, the sum of its chains of multiply-adds over the even and over the odd k of the step,
/// added to what the steps before gave: Intel's definition of TDPBF16PS, numbers below the normal ones apart. The
/// finished sum is set, or added to what is there.
///
/// Every operand is rounded by one of four loops, after which it lies in the order in which `product` reads it:
struct Bf16Isa {
  const char* name;
  /// The numbers 2 i and 2 i + 1 of a right operand's column that lie side by side are k and k + pair_distance.
  int pair_distance;
  int left_bytes;  // that a left operand takes for each number of left_size()

  /// Left: rows of k numbers.
  void (*round_rows)(const float* const* x, int rows, int k, Bf16* left);
  /// Left: columns [begin, end) of `count` rows, a multiple of kTileDepth, as rows.
  void (*round_columns)(const float* const* x, int count, int begin, int end, Bf16* left);
  /// Right: columns [begin, end) of `count` rows, a multiple of kTileSide, as slices; those that fill the last one are
  /// zeros. Slices are slice_stride numbers apart.
  void (*pair_rows)(const float* const* x, int count, int begin, int end, Bf16* right, std::int64_t slice_stride);
  /// Right: at most kTileSide rows of k numbers as the columns of one slice, zeros in the others and up to the end of
  /// the last step.
  void (*pair_columns)(const float* const* x, int count, int k, Bf16* slice);
  void (*product)(const Bf16Product& product);
  /// As multiply_adds of kernels.h; nullptr: its multiply-adds are those of fp32.
  double (*multiply_adds)(std::int64_t steps);

  /// What a thread does before its first product and after its last one; nullptr: nothing. See TileScope.
  void (*begin)();
  void (*end)();
};

/// Where number k of a column lies in its slice.
inline std::int64_t place_in_slice(const Bf16Isa& isa, int k, int column) {
  const int d = isa.pair_distance, pair = k / (2 * d) * d + k % d;
  const bool second = k / d % 2 != 0;
  return (std::int64_t{pair} * kSlice + column) * 2 + (second == (d == 1) ? 1 : 0);
}

/// Those that can run here: "amx", "avx512_bf16", "avx512_bf16_fma"; the last is always "emulated". Builds with
/// CAVS_TEST_KERNELS have one more: "amx_model", the code of AMX on tiles that are modelled (backend/cpu/amx_model.h).
std::span<const Bf16Isa* const> available_bf16_isas();

/// The best that computes with instructions for bf16; what CAVS_BF16 asks for; else nullptr.
/// @throws UserError if CAVS_BF16 is anything but 'emulate', or in builds with CAVS_TEST_KERNELS 'amx_model'.
const Bf16Isa* bf16_isa();
extern const Bf16Isa kEmulatedBf16;

// matmul and matmul_tn of kernels.h.
void matmul(const Bf16Isa& isa, const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w,
            std::span<const ProductOut> y, int unit_begin, int unit_end, Scratch& scratch);
void matmul_tn(const Bf16Isa& isa, const ConstRows& x, const ConstRows& dy, std::int32_t rows, float* dw,
               bool accumulate, int worker, int workers, Scratch& scratch);

}  // namespace cavs::cpu
