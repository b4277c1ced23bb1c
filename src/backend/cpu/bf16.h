#pragma once

#include <bit>
#include <cstdint>

#include "backend/cpu/kernels.h"

/// Products of numbers rounded to bf16, summed in fp32: tiles of 16 x 16 results over steps of 32 (AMX; AVX-512 or
/// plain code that does the same). The drivers are written once; an instruction set is one function.
namespace cavs::cpu {

using Bf16 = std::uint16_t;

inline constexpr int kTileSide = 16;   // rows and columns of a tile of results
inline constexpr int kTileDepth = 32;  // multiply-adds of a step

/// Rounds to the nearest, ties to even; a NaN stays one.
inline Bf16 to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (x != x) return static_cast<Bf16>((bits >> 16) | 0x40);
  return static_cast<Bf16>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}
inline float from_bf16(Bf16 x) { return std::bit_cast<float>(std::uint32_t{x} << 16); }

/// Rows of one or two tiles times one or two tiles of columns.
struct Bf16Block {
  const Bf16* a;          // [row_tiles() * 16, steps * 32]; zeros from `rows` on
  std::int64_t a_stride;  // numbers from one row to the next
  const Bf16* b[2];       // of each tile of columns: [steps * 16, 16, 2]: pairs of k
  int rows, column_tiles, steps;
  float* c;  // [row tile * 2 + column tile] of [16, 16]: overwritten; rows from `rows` on may be anything

  int row_tiles() const { return rows > kTileSide ? 2 : 1; }
};

/// Each result is, step by step, the sum of its chains of multiply-adds over the even and over the odd k of the step,
/// added to what the steps before gave: Intel's definition of TDPBF16PS, numbers below the normal ones apart.
struct Bf16Isa {
  const char* name;
  void (*block)(const Bf16Block& block);
};

/// Those that can run here, best first: "amx", "avx512_bf16"; the last is always "emulated".
std::span<const Bf16Isa* const> available_bf16_isas();

/// The best that is not emulated; what CAVS_BF16=emulate asks for; else nullptr.
/// @throws UserError if CAVS_BF16 is anything else.
const Bf16Isa* bf16_isa();
extern const Bf16Isa kEmulatedBf16;

// matmul and matmul_tn of kernels.h.
void matmul(const Bf16Isa& isa, const ConstRows& x, std::int32_t row_begin, std::int32_t row_end, const PackedWeight& w,
            std::span<const ProductOut> y, int unit_begin, int unit_end, Scratch& scratch);
void matmul_tn(const Bf16Isa& isa, const ConstRows& x, const ConstRows& dy, std::int32_t rows, float* dw,
               bool accumulate, int worker, int workers, Scratch& scratch);

}  // namespace cavs::cpu
