#pragma once

// The functions of backend/cpu/vec_math.h, for one number instead of a vector. So GPU and CPU use the same polynomials.

#include "backend/cuda/device/cuda_layer.cuh"

#define CAVS_ISA device

namespace cavs::cpu::CAVS_ISA {

using Vec = float;
using Ints = int;
using Bits = unsigned;
constexpr bool kFused = true;

CAVS_DEVICE Vec splat(float x) { return x; }
CAVS_DEVICE Vec fma(Vec a, Vec b, Vec c) { return cuda::multiply_add(a, b, c); }
CAVS_DEVICE Bits bits(Vec a) { return cuda::bits_of(a); }
CAVS_DEVICE Bits bits(Ints a) { return static_cast<Bits>(a); }
CAVS_DEVICE Ints ints(Bits a) { return static_cast<Ints>(a); }
CAVS_DEVICE Vec to_floats(Ints a) { return static_cast<Vec>(a); }
CAVS_DEVICE Vec from_bits(Bits a) { return cuda::float_of(a); }
CAVS_DEVICE Vec select(Ints mask, Vec a, Vec b) { return mask != 0 ? a : b; }
CAVS_DEVICE Vec clamp(Vec x, float low, float high) {
  x = low > x ? low : x;
  return high < x ? high : x;
}

}  // namespace cavs::cpu::CAVS_ISA

#include "backend/cpu/vec_math.h"  // NOLINT: uses the definitions above

namespace cavs::cuda {

namespace math = cpu::device;

/// True if the numbers are equal, or if both are NaN.
CAVS_DEVICE bool same(float a, float b) { return a == b || (a != a && b != b); }

}  // namespace cavs::cuda
