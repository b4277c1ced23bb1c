#include <bit>
#include <cmath>
#include <limits>

#include "cuda/ptx/step.h"

// PTX instructions that compare numbers, or convert numbers to another type.

namespace cavs::cuda::ptx {
namespace {

using U32 = std::uint32_t;

template <typename T>
void add_equality(FormTable& forms, const std::string& t) {
  forms["setp.eq." + t] = form<[](T a, T b) -> bool { return a == b; }>();
  forms["setp.ne." + t] = form<[](T a, T b) -> bool { return a != b; }>();
}

template <typename T>
void add_integer(FormTable& forms, const std::string& t) {
  add_equality<T>(forms, t);
  const auto also = [&](const char* name, const char* of_unsigned, Form form) {
    forms["setp." + std::string(name) + "." + t] = form;
    if (std::is_unsigned_v<T>) forms["setp." + std::string(of_unsigned) + "." + t] = form;
  };
  also("lt", "lo", form<[](T a, T b) -> bool { return a < b; }>());
  also("le", "ls", form<[](T a, T b) -> bool { return a <= b; }>());
  also("gt", "hi", form<[](T a, T b) -> bool { return b < a; }>());
  also("ge", "hs", form<[](T a, T b) -> bool { return a >= b; }>());
}

/// Adds comparisons of floats. If an operand is NaN, comparisons that end in u are true, and all others are false.
template <typename T>
void add_real(FormTable& forms, const std::string& t) {
  forms["setp.eq." + t] = form<[](T a, T b) -> bool { return a == b; }>();
  forms["setp.ne." + t] = form<[](T a, T b) -> bool { return a < b || b < a; }>();
  forms["setp.lt." + t] = form<[](T a, T b) -> bool { return a < b; }>();
  forms["setp.le." + t] = form<[](T a, T b) -> bool { return a <= b; }>();
  forms["setp.gt." + t] = form<[](T a, T b) -> bool { return b < a; }>();
  forms["setp.ge." + t] = form<[](T a, T b) -> bool { return a >= b; }>();
  forms["setp.equ." + t] = form<[](T a, T b) -> bool { return !(a < b || b < a); }>();
  forms["setp.neu." + t] = form<[](T a, T b) -> bool { return !(a == b); }>();
  forms["setp.ltu." + t] = form<[](T a, T b) -> bool { return !(a >= b); }>();
  forms["setp.leu." + t] = form<[](T a, T b) -> bool { return !(b < a); }>();
  forms["setp.gtu." + t] = form<[](T a, T b) -> bool { return !(a <= b); }>();
  forms["setp.geu." + t] = form<[](T a, T b) -> bool { return !(a < b); }>();
  forms["setp.num." + t] = form<[](T a, T b) -> bool { return !std::isnan(a) && !std::isnan(b); }>();
  forms["setp.nan." + t] = form<[](T a, T b) -> bool { return std::isnan(a) || std::isnan(b); }>();
}

FormTable comparisons() {
  FormTable forms;
  add_equality<std::uint16_t>(forms, "b16");
  add_equality<U32>(forms, "b32");
  add_equality<std::uint64_t>(forms, "b64");
  add_integer<std::int16_t>(forms, "s16");
  add_integer<std::uint16_t>(forms, "u16");
  add_integer<std::int32_t>(forms, "s32");
  add_integer<U32>(forms, "u32");
  add_integer<std::int64_t>(forms, "s64");
  add_integer<std::uint64_t>(forms, "u64");
  add_real<float>(forms, "f32");
  add_real<double>(forms, "f64");
  return forms;
}

/// Converts x to an integer: rounds towards zero, and saturates. NaN gives 0.
template <typename To, typename From>
To truncated(From x) {
  using Limits = std::numeric_limits<To>;
  if (std::isnan(x)) return 0;
  if (x <= static_cast<From>(Limits::min())) return Limits::min();
  if (x >= static_cast<From>(Limits::max())) return Limits::max();
  return static_cast<To>(x);
}

U32 bf16_of(float x) {
  const U32 bits = std::bit_cast<U32>(x);
  if (std::isnan(x)) return 0x7FFF;
  return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}

template <typename To, typename From>
void add_integers(FormTable& forms, const std::string& to, const std::string& from) {
  forms["cvt." + to + "." + from] = form<[](From x) -> To { return static_cast<To>(x); }>();
}
template <typename From>
void add_from_integer(FormTable& forms, const std::string& from) {
  add_integers<std::int16_t, From>(forms, "s16", from);
  add_integers<std::uint16_t, From>(forms, "u16", from);
  add_integers<std::int32_t, From>(forms, "s32", from);
  add_integers<U32, From>(forms, "u32", from);
  add_integers<std::int64_t, From>(forms, "s64", from);
  add_integers<std::uint64_t, From>(forms, "u64", from);
  forms["cvt.rn.f32." + from] = form<[](From x) -> float { return static_cast<float>(x); }>();
  forms["cvt.rn.f64." + from] = form<[](From x) -> double { return static_cast<double>(x); }>();
}
template <typename From>
void add_from_real(FormTable& forms, const std::string& from) {
  forms["cvt.rzi.s32." + from] = form<[](From x) -> std::int32_t { return truncated<std::int32_t>(x); }>();
  forms["cvt.rzi.u32." + from] = form<[](From x) -> U32 { return truncated<U32>(x); }>();
  forms["cvt.rzi.s64." + from] = form<[](From x) -> std::int64_t { return truncated<std::int64_t>(x); }>();
  forms["cvt.rzi.u64." + from] = form<[](From x) -> std::uint64_t { return truncated<std::uint64_t>(x); }>();
}

FormTable conversions() {
  FormTable forms;
  add_from_integer<std::int16_t>(forms, "s16");
  add_from_integer<std::uint16_t>(forms, "u16");
  add_from_integer<std::int32_t>(forms, "s32");
  add_from_integer<U32>(forms, "u32");
  add_from_integer<std::int64_t>(forms, "s64");
  add_from_integer<std::uint64_t>(forms, "u64");
  add_from_real<float>(forms, "f32");
  add_from_real<double>(forms, "f64");
  forms["cvt.f64.f32"] = form<[](float x) -> double { return x; }>();
  forms["cvt.rn.f32.f64"] = form<[](double x) -> float { return static_cast<float>(x); }>();
  forms["cvt.rn.bf16.f32"] = form<[](float x) -> std::uint16_t { return static_cast<std::uint16_t>(bf16_of(x)); }>();
  forms["cvt.rna.tf32.f32"] =
      form<[](float x) -> U32 { return x != x ? 0x7FFFE000U : (std::bit_cast<U32>(x) + 0x1000U) & ~0x1FFFU; }>();
  forms["cvt.rn.bf16x2.f32"] = form<[](float high, float low) -> U32 { return bf16_of(high) << 16 | bf16_of(low); }>();
  forms["cvt.f32.bf16"] = form<[](std::uint16_t x) -> float { return std::bit_cast<float>(U32{x} << 16); }>();
  for (const char* type : {"u64", "s64", "b64"})
    forms["cvta.to.global." + std::string(type)] = form<[](std::uint64_t x) -> std::uint64_t { return x; }>();
  for (const char* name : {"cvta.global.u64", "cvta.const.u64"})
    forms[name] = form<[](std::uint64_t x) -> std::uint64_t { return x; }>();
  return forms;
}

}  // namespace

const Form* find_comparison(std::string_view opcode) {
  static const FormTable kForms = comparisons();
  return find_in(kForms, opcode);
}

const Form* find_conversion(std::string_view opcode) {
  static const FormTable kForms = conversions();
  return find_in(kForms, opcode);
}

}  // namespace cavs::cuda::ptx
