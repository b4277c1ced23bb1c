#include <bit>
#include <cmath>
#include <limits>

#include "cuda/ptx/fault.h"
#include "cuda/ptx/step.h"

// Arithmetic as defined by the PTX manual, rounded to nearest. This file is compiled without contraction of products
// and sums.

namespace cavs::cuda::ptx {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S32 = std::int32_t;
using S64 = std::int64_t;

template <typename T>
using Unsigned = std::make_unsigned_t<T>;

[[noreturn]] void by_zero() { fault(FaultKind::kUndefined, "an integer divided by zero"); }

/// Converts back to T, as the hardware wraps on overflow.
template <typename T>
T wrap(Unsigned<T> x) {
  return static_cast<T>(x);
}

template <typename T>
T divide(T a, T b) {
  if (b == 0) by_zero();
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return wrap<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a));
  return static_cast<T>(a / b);
}
template <typename T>
T remainder(T a, T b) {
  if (b == 0) by_zero();
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

/// Shifts. A shift by the number of bits of T or more gives 0, or in a right shift copies of the sign.
template <typename T>
T shift_left(T a, U32 by) {
  return by >= sizeof(T) * 8 ? T{0} : static_cast<T>(a << by);
}
template <typename T>
T shift_right(T a, U32 by) {
  constexpr U32 kBits = sizeof(T) * 8;
  if (by >= kBits) return a < 0 ? static_cast<T>(-1) : T{0};
  return static_cast<T>(a >> by);
}

/// Returns the smaller operand; NaN only if both operands are NaN. -0 is less than 0.
template <typename T>
T least(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <typename T>
T largest(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}

template <typename T>
T insert_bits(T bits, T into, U32 begin, U32 count) {
  begin &= 0xFF;
  count &= 0xFF;
  constexpr U32 kBits = sizeof(T) * 8;
  if (begin >= kBits || count == 0) return into;
  const T ones = count >= kBits ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << count) - 1);
  return static_cast<T>((into & ~(ones << begin)) | ((bits & ones) << begin));
}
template <typename T>
T extract_bits(T from, U32 begin, U32 count) {
  begin &= 0xFF;
  count &= 0xFF;
  constexpr U32 kBits = sizeof(T) * 8;
  if (count == 0) return 0;
  const U32 last = std::min(begin + count - 1, kBits - 1);
  const bool sign = std::is_signed_v<T> && ((static_cast<Unsigned<T>>(from) >> last) & 1) != 0;
  Unsigned<T> found = begin >= kBits ? 0 : static_cast<Unsigned<T>>(static_cast<Unsigned<T>>(from) >> begin);
  if (count < kBits) {
    const Unsigned<T> ones = (Unsigned<T>{1} << count) - 1;
    found &= ones;
    if (begin + count > kBits && begin < kBits) found &= static_cast<Unsigned<T>>(~Unsigned<T>{0}) >> begin;
    const U32 known = last >= begin ? last - begin + 1 : 0;
    if (sign && known < kBits) found |= static_cast<Unsigned<T>>(~Unsigned<T>{0}) << known;
  }
  return static_cast<T>(found);
}

U32 permute_bytes(U32 a, U32 b, U32 selector) {
  const U64 both = static_cast<U64>(b) << 32 | a;
  U32 made = 0;
  for (int k = 0; k < 4; ++k) {
    const U32 which = selector >> (4 * k) & 0xF;
    U32 byte = static_cast<U32>(both >> (8 * (which & 7))) & 0xFF;
    if ((which & 8) != 0) byte = (byte & 0x80) != 0 ? 0xFF : 0;
    made |= byte << (8 * k);
  }
  return made;
}

U32 any_logic(U32 a, U32 b, U32 c, U32 table) {
  U32 made = 0;
  for (int k = 0; k < 8; ++k)
    if ((table >> k & 1) != 0) made |= ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? c : ~c);
  return made;
}

template <typename T>
void add_integer(FormTable& forms, const std::string& t) {
  using U = Unsigned<T>;
  forms["add." + t] = form<[](T a, T b) -> T { return wrap<T>(static_cast<U>(U(a) + U(b))); }>();
  forms["sub." + t] = form<[](T a, T b) -> T { return wrap<T>(static_cast<U>(U(a) - U(b))); }>();
  forms["mul.lo." + t] = form<[](T a, T b) -> T { return wrap<T>(static_cast<U>(U64(a) * U64(b))); }>();
  forms["mad.lo." + t] = form<[](T a, T b, T c) -> T { return wrap<T>(static_cast<U>(U64(a) * U64(b) + U64(c))); }>();
  forms["div." + t] = form<[](T a, T b) -> T { return divide(a, b); }>();
  forms["rem." + t] = form<[](T a, T b) -> T { return remainder(a, b); }>();
  forms["min." + t] = form<[](T a, T b) -> T { return std::min(a, b); }>();
  forms["max." + t] = form<[](T a, T b) -> T { return std::max(a, b); }>();
  forms["shr." + t] = form<[](T a, U32 by) -> T { return shift_right(a, by); }>();
  if constexpr (std::is_signed_v<T>) {
    forms["neg." + t] = form<[](T a) -> T { return wrap<T>(static_cast<U>(U{0} - U(a))); }>();
    forms["abs." + t] = form<[](T a) -> T { return a < 0 ? wrap<T>(static_cast<U>(U{0} - U(a))) : a; }>();
  }
}

template <typename T>
void add_bits(FormTable& forms, const std::string& t) {
  forms["and." + t] = form<[](T a, T b) -> T { return static_cast<T>(a & b); }>();
  forms["or." + t] = form<[](T a, T b) -> T { return static_cast<T>(a | b); }>();
  forms["xor." + t] = form<[](T a, T b) -> T { return static_cast<T>(a ^ b); }>();
  forms["not." + t] = form<[](T a) -> T { return static_cast<T>(~a); }>();
  forms["shl." + t] = form<[](T a, U32 by) -> T { return shift_left(a, by); }>();
  forms["shr." + t] = form<[](T a, U32 by) -> T { return shift_right(a, by); }>();
}

template <typename T>
void add_move(FormTable& forms, const std::string& t) {
  forms["mov." + t] = form<[](T a) -> T { return a; }>();
  forms["selp." + t] = form<[](T a, T b, bool p) -> T { return p ? a : b; }>();
}

template <typename T>
void add_real(FormTable& forms, const std::string& t) {
  forms["add.rn." + t] = form<[](T a, T b) -> T { return a + b; }>();
  forms["sub.rn." + t] = form<[](T a, T b) -> T { return a - b; }>();
  forms["mul.rn." + t] = form<[](T a, T b) -> T { return a * b; }>();
  forms["div.rn." + t] = form<[](T a, T b) -> T { return a / b; }>();
  forms["rcp.rn." + t] = form<[](T a) -> T { return T{1} / a; }>();
  forms["sqrt.rn." + t] = form<[](T a) -> T { return std::sqrt(a); }>();
  forms["fma.rn." + t] = form<[](T a, T b, T c) -> T { return std::fma(a, b, c); }>();
  forms["min." + t] = form<[](T a, T b) -> T { return least(a, b); }>();
  forms["max." + t] = form<[](T a, T b) -> T { return largest(a, b); }>();
  forms["neg." + t] = form<[](T a) -> T { return -a; }>();
  forms["abs." + t] = form<[](T a) -> T { return std::abs(a); }>();
  forms["copysign." + t] = form<[](T a, T b) -> T { return std::copysign(b, a); }>();
}

FormTable make_table() {
  FormTable forms;
  add_integer<S32>(forms, "s32");
  add_integer<U32>(forms, "u32");
  add_integer<S64>(forms, "s64");
  add_integer<U64>(forms, "u64");
  add_integer<std::int16_t>(forms, "s16");
  add_integer<U16>(forms, "u16");
  add_bits<U16>(forms, "b16");
  add_bits<U32>(forms, "b32");
  add_bits<U64>(forms, "b64");
  for (const char* t : {"b16", "u16", "s16"}) add_move<U16>(forms, t);
  for (const char* t : {"b32", "u32", "s32", "f32"}) add_move<U32>(forms, t);
  for (const char* t : {"b64", "u64", "s64", "f64"}) add_move<U64>(forms, t);
  add_real<float>(forms, "f32");
  add_real<double>(forms, "f64");
  forms["mul.wide.s32"] = form<[](S32 a, S32 b) -> S64 { return S64{a} * b; }>();
  forms["mul.wide.u32"] = form<[](U32 a, U32 b) -> U64 { return U64{a} * b; }>();
  forms["mul.wide.s16"] = form<[](std::int16_t a, std::int16_t b) -> S32 { return S32{a} * b; }>();
  forms["mul.wide.u16"] = form<[](U16 a, U16 b) -> U32 { return U32{a} * b; }>();
  forms["mad.wide.s32"] = form<[](S32 a, S32 b, S64 c) -> S64 { return wrap<S64>(U64(S64{a} * b) + U64(c)); }>();
  forms["mad.wide.u32"] = form<[](U32 a, U32 b, U64 c) -> U64 { return U64{a} * b + c; }>();
  forms["mul.hi.u32"] = form<[](U32 a, U32 b) -> U32 { return static_cast<U32>(U64{a} * b >> 32); }>();
  forms["mul.hi.s32"] = form<[](S32 a, S32 b) -> S32 { return static_cast<S32>(S64{a} * b >> 32); }>();
  forms["and.pred"] = form<[](bool a, bool b) -> bool { return a && b; }>();
  forms["or.pred"] = form<[](bool a, bool b) -> bool { return a || b; }>();
  forms["xor.pred"] = form<[](bool a, bool b) -> bool { return a != b; }>();
  forms["not.pred"] = form<[](bool a) -> bool { return !a; }>();
  forms["mov.pred"] = form<[](bool a) -> bool { return a; }>();
  forms["bfi.b32"] = form<[](U32 a, U32 b, U32 c, U32 d) -> U32 { return insert_bits(a, b, c, d); }>();
  forms["bfi.b64"] = form<[](U64 a, U64 b, U32 c, U32 d) -> U64 { return insert_bits(a, b, c, d); }>();
  forms["bfe.u32"] = form<[](U32 a, U32 c, U32 d) -> U32 { return extract_bits(a, c, d); }>();
  forms["bfe.s32"] = form<[](S32 a, U32 c, U32 d) -> S32 { return extract_bits(a, c, d); }>();
  forms["bfe.u64"] = form<[](U64 a, U32 c, U32 d) -> U64 { return extract_bits(a, c, d); }>();
  forms["bfe.s64"] = form<[](S64 a, U32 c, U32 d) -> S64 { return extract_bits(a, c, d); }>();
  forms["popc.b32"] = form<[](U32 a) -> U32 { return static_cast<U32>(std::popcount(a)); }>();
  forms["clz.b32"] = form<[](U32 a) -> U32 { return static_cast<U32>(std::countl_zero(a)); }>();
  forms["prmt.b32"] = form<[](U32 a, U32 b, U32 c) -> U32 { return permute_bytes(a, b, c); }>();
  forms["lop3.b32"] = form<[](U32 a, U32 b, U32 c, U32 d) -> U32 { return any_logic(a, b, c, d); }>();
  forms["shf.l.wrap.b32"] =
      form<[](U32 a, U32 b, U32 c) -> U32 { return static_cast<U32>((U64{b} << 32 | a) << (c & 31) >> 32); }>();
  forms["shf.r.wrap.b32"] =
      form<[](U32 a, U32 b, U32 c) -> U32 { return static_cast<U32>((U64{b} << 32 | a) >> (c & 31)); }>();
  return forms;
}

}  // namespace

const Form* find_arithmetic(std::string_view opcode) {
  static const FormTable kForms = make_table();
  return find_in(kForms, opcode);
}

}  // namespace cavs::cuda::ptx
