#pragma once

// The operations of vec.h on symbols. Instead of computing, an operation appends an instruction to a VectorProgram.

#include <bit>
#include <cstdint>

#include "backend/cpu/jit/vector_program.h"

#define CAVS_ISA symbolic

namespace cavs::cpu::symbolic {

/// A value of the builder's program, or (if builder is nullptr) a constant with these bits that is in no program yet.
template <typename Lane>
struct Symbol {
  VectorProgramBuilder* builder = nullptr;
  int value = -1;
  std::uint32_t constant = 0;
};
using Vec = Symbol<float>;
using Ints = Symbol<std::int32_t>;
using Bits = Symbol<std::uint32_t>;

inline constexpr bool kFused = true;

template <typename Lane>
Symbol<Lane> constant_of(Lane x) {
  return {nullptr, -1, std::bit_cast<std::uint32_t>(x)};
}
inline Vec splat(float x) { return constant_of(x); }

template <typename Lane>
int number_of(const Symbol<Lane>& x, VectorProgramBuilder& builder) {
  return x.builder != nullptr ? x.value : builder.constant(x.constant);
}

template <typename To, typename A>
Symbol<To> emit(VectorOp op, A a, std::uint32_t immediate = 0) {
  return {a.builder, a.builder->emit(op, a.value, -1, -1, immediate)};
}
template <typename To, typename A, typename B>
Symbol<To> emit(VectorOp op, A a, B b) {
  VectorProgramBuilder& p = a.builder != nullptr ? *a.builder : *b.builder;
  return {&p, p.emit(op, number_of(a, p), number_of(b, p))};
}
template <typename To, typename A, typename B, typename C>
Symbol<To> emit(VectorOp op, A a, B b, C c) {
  VectorProgramBuilder& p = a.builder != nullptr ? *a.builder : b.builder != nullptr ? *b.builder : *c.builder;
  return {&p, p.emit(op, number_of(a, p), number_of(b, p), number_of(c, p))};
}

inline Vec operator+(Vec a, Vec b) { return emit<float>(VectorOp::kAdd, a, b); }
inline Vec operator-(Vec a, Vec b) { return emit<float>(VectorOp::kSub, a, b); }
inline Vec operator*(Vec a, Vec b) { return emit<float>(VectorOp::kMul, a, b); }
inline Vec operator/(Vec a, Vec b) { return emit<float>(VectorOp::kDiv, a, b); }
inline Vec operator+(Vec a, float b) { return a + splat(b); }
inline Vec operator-(Vec a, float b) { return a - splat(b); }
inline Vec operator-(float a, Vec b) { return splat(a) - b; }
inline Vec operator*(Vec a, float b) { return a * splat(b); }
inline Vec operator/(float a, Vec b) { return splat(a) / b; }
inline Vec operator-(Vec a) { return emit<float>(VectorOp::kXor, a, constant_of(0x80000000U)); }

inline Ints operator<(Vec a, Vec b) { return emit<std::int32_t>(VectorOp::kLess, a, b); }
inline Ints operator>(Vec a, Vec b) { return emit<std::int32_t>(VectorOp::kGreater, a, b); }
inline Ints operator==(Vec a, Vec b) { return emit<std::int32_t>(VectorOp::kEqual, a, b); }
inline Ints operator!=(Vec a, Vec b) { return emit<std::int32_t>(VectorOp::kNotEqual, a, b); }
inline Ints operator<(Vec a, float b) { return a < splat(b); }
inline Ints operator==(Vec a, float b) { return a == splat(b); }
inline Ints operator|(Ints a, Ints b) { return emit<std::int32_t>(VectorOp::kOr, a, b); }
inline Vec select(Ints mask, Vec a, Vec b) { return emit<float>(VectorOp::kSelect, mask, a, b); }

inline Bits bits(Vec a) { return {a.builder, a.value, a.constant}; }
inline Bits bits(Ints a) { return {a.builder, a.value, a.constant}; }
inline Ints ints(Bits a) { return {a.builder, a.value, a.constant}; }
inline Vec from_bits(Bits a) { return {a.builder, a.value, a.constant}; }
inline Vec to_floats(Ints a) { return emit<float>(VectorOp::kToFloats, a); }

inline Bits operator&(Bits a, std::uint32_t b) { return emit<std::uint32_t>(VectorOp::kAnd, a, constant_of(b)); }
inline Bits operator|(Bits a, Bits b) { return emit<std::uint32_t>(VectorOp::kOr, a, b); }
inline Bits operator+(Bits a, std::uint32_t b) { return emit<std::uint32_t>(VectorOp::kAddInts, a, constant_of(b)); }
inline Bits operator-(Bits a, std::uint32_t b) { return emit<std::uint32_t>(VectorOp::kSubInts, a, constant_of(b)); }
inline Ints operator+(Ints a, std::int32_t b) { return emit<std::int32_t>(VectorOp::kAddInts, a, constant_of(b)); }
inline Ints operator-(Ints a, Ints b) { return emit<std::int32_t>(VectorOp::kSubInts, a, b); }
inline Bits operator<<(Bits a, int by) {
  return emit<std::uint32_t>(VectorOp::kShiftLeft, a, static_cast<std::uint32_t>(by));
}
inline Ints operator>>(Ints a, int by) {
  return emit<std::int32_t>(VectorOp::kShiftRight, a, static_cast<std::uint32_t>(by));
}

inline Vec fma(Vec a, Vec b, Vec c) { return emit<float>(VectorOp::kMultiplyAdd, a, b, c); }
inline Vec sqrt(Vec a) { return emit<float>(VectorOp::kSqrt, a); }
inline Vec clamp(Vec x, float low, float high) {
  const Vec at_least = emit<float>(VectorOp::kLargest, splat(low), x);
  return emit<float>(VectorOp::kSmallest, splat(high), at_least);
}

}  // namespace cavs::cpu::symbolic
