#pragma once

// Vectors of the widest kind for which the including source file is compiled. Everything is in the namespace CAVS_ISA,
// so that the linker cannot replace code for one instruction set by code for another. For the same reason, files that
// are compiled per instruction set do not call the standard library, whose inline functions any object may contain.

#include <cstdint>
#include <utility>

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#ifndef CAVS_ISA
#error "define CAVS_ISA, the namespace of this instruction set"
#endif

#if defined(__clang__)
#define CAVS_UNROLL _Pragma("unroll")
#else
#define CAVS_UNROLL _Pragma("GCC unroll 16")
#endif

namespace cavs::cpu::CAVS_ISA {

// With CAVS_AVX2_PAIRS, the code for AVX-512 runs on pairs of AVX2 vectors, so that it can be tested without AVX-512.
#if defined(__AVX512F__) || defined(CAVS_AVX2_PAIRS)
inline constexpr int kLanes = 16;
inline constexpr bool kManyRegisters = true;
#elif defined(__AVX2__)
inline constexpr int kLanes = 8;
inline constexpr bool kManyRegisters = false;
#elif defined(__ARM_NEON)
inline constexpr int kLanes = 4;
inline constexpr bool kManyRegisters = true;
#else
inline constexpr int kLanes = 4;
inline constexpr bool kManyRegisters = false;
#endif

#if defined(__AVX512F__) || defined(__FMA__) || defined(__ARM_NEON)
inline constexpr bool kFused = true;  // true if fma() rounds once
#else
inline constexpr bool kFused = false;
#endif

#if defined(__AVX512F__)
inline constexpr int kNativeLanes = 16;
#elif defined(__AVX2__)
inline constexpr int kNativeLanes = 8;
#else
inline constexpr int kNativeLanes = 4;
#endif

/// A number known at compile time that is passed as an argument, as std::integral_constant.
template <int kValue>
struct Constant {
  constexpr operator int() const { return kValue; }  // NOLINT(google-explicit-constructor): it is the number
};

/// Calls f(0), f(1), ... f(kCount - 1) without a loop, so that an array with these indices stays in registers. With
/// loops, GCC clears and copies such arrays in memory, which takes as long as 30 steps of a product.
template <int kCount, typename F>
inline __attribute__((always_inline)) void each(F f) {
  [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) { (f(Constant<i>()), ...); }
  (std::make_integer_sequence<int, kCount>());
}

inline constexpr bool kWide = kManyRegisters && kLanes == 16;  // true for AVX-512 and avx2x2

typedef float Vec __attribute__((vector_size(4 * kLanes)));
typedef std::int32_t Ints __attribute__((vector_size(4 * kLanes)));
typedef std::uint32_t Bits __attribute__((vector_size(4 * kLanes)));
typedef float UnalignedVec __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));

inline Vec load(const float* p) { return *reinterpret_cast<const UnalignedVec*>(p); }
inline void store(float* p, Vec v) { *reinterpret_cast<UnalignedVec*>(p) = v; }
inline Vec splat(float x) { return x - Vec{}; }  // x - 0 is x, and -0 stays -0

/// Loads `count` floats, fewer than kLanes, and sets the other lanes to `fill`.
inline Vec load_part(const float* p, int count, float fill = 0) {
  Vec v = splat(fill);
  __builtin_memcpy(&v, p, sizeof(float) * static_cast<unsigned>(count));
  return v;
}
inline void store_part(float* p, int count, Vec v) {
  __builtin_memcpy(p, &v, sizeof(float) * static_cast<unsigned>(count));
}

#if defined(CAVS_AVX2_PAIRS)
/// Applies f to the lower halves of the vectors and to the upper halves. Returns the two results as one vector.
template <typename F, typename... V>
inline Vec by_halves(F f, V... v) {
  const auto lower = [](Vec x) { return (__m256)__builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7); };
  const auto upper = [](Vec x) { return (__m256)__builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15); };
  const __m256 low = f(lower(v)...), high = f(upper(v)...);
  return (Vec)__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
#endif

/// Returns a * b + c, rounded once if the instruction set has fused multiply-adds.
inline Vec fma(Vec a, Vec b, Vec c) {
#if defined(CAVS_AVX2_PAIRS)
  return by_halves([](__m256 x, __m256 y, __m256 z) { return _mm256_fmadd_ps(x, y, z); }, a, b, c);
#elif defined(__AVX512F__)
  return (Vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
  return (Vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__ARM_NEON)
  return (Vec)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
  return a * b + c;
#endif
}

inline Vec sqrt(Vec a) {
#if defined(CAVS_AVX2_PAIRS)
  return by_halves([](__m256 x) { return _mm256_sqrt_ps(x); }, a);
#elif defined(__AVX512F__)
  return (Vec)_mm512_maskz_sqrt_ps(0xFFFF, (__m512)a);  // because g++ 12 warns of _mm512_sqrt_ps
#elif defined(__AVX2__)
  return (Vec)_mm256_sqrt_ps((__m256)a);
#elif defined(__SSE2__)
  return (Vec)_mm_sqrt_ps((__m128)a);
#else
  for (int i = 0; i < kLanes; ++i) a[i] = __builtin_sqrtf(a[i]);
  return a;
#endif
}

inline Bits bits(Vec a) { return (Bits)a; }
inline Bits bits(Ints a) { return (Bits)a; }
inline Ints ints(Bits a) { return (Ints)a; }
inline Vec to_floats(Ints a) { return __builtin_convertvector(a, Vec); }
inline Vec from_bits(Bits a) { return (Vec)a; }
inline Vec select(Ints mask, Vec a, Vec b) { return mask ? a : b; }
/// Clamps x to [low, high]. NaN stays NaN, because the min and max instructions return their second operand for NaN.
inline Vec clamp(Vec x, float low, float high) {
  const Vec l = splat(low), h = splat(high);
#if defined(CAVS_AVX2_PAIRS)
  return by_halves([](__m256 y, __m256 a, __m256 b) { return _mm256_min_ps(b, _mm256_max_ps(a, y)); }, x, l, h);
#elif defined(__AVX512F__)
  return (Vec)_mm512_maskz_min_ps(0xFFFF, (__m512)h, _mm512_maskz_max_ps(0xFFFF, (__m512)l, (__m512)x));
#elif defined(__AVX2__)
  return (Vec)_mm256_min_ps((__m256)h, _mm256_max_ps((__m256)l, (__m256)x));
#elif defined(__SSE2__)
  return (Vec)_mm_min_ps((__m128)h, _mm_max_ps((__m128)l, (__m128)x));
#else
  x = select(l > x, l, x);
  return select(h < x, h, x);
#endif
}

/// Returns a bit per lane: bit i is set if the comparison was true in lane i.
inline unsigned lanes_of(Ints mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask);
#elif defined(__AVX2__) && !defined(CAVS_AVX2_PAIRS)
  return static_cast<unsigned>(_mm256_movemask_ps((__m256)mask));
#elif defined(__SSE2__) && !defined(__AVX2__)
  return static_cast<unsigned>(_mm_movemask_ps((__m128)mask));
#else
  unsigned lanes = 0;
  for (int i = 0; i < kLanes; ++i) lanes |= mask[i] != 0 ? 1U << i : 0U;
  return lanes;
#endif
}

/// Reduces the lanes of v to one number with f: in each round, lane i is combined with lane i + half the lanes.
template <typename F>
float fold_lanes(Vec v, F f) {
  float lanes[kLanes];
  store(lanes, v);
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) lanes[i] = f(lanes[i], lanes[i + width]);
  return lanes[0];
}
inline float sum_lanes(Vec v) {
  return fold_lanes(v, [](float a, float b) { return a + b; });
}
inline float max_lanes(Vec v) {
  return fold_lanes(v, [](float a, float b) { return (a > b || a != a) ? a : b; });
}

}  // namespace cavs::cpu::CAVS_ISA
