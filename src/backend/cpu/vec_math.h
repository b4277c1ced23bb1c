#pragma once

// Include vec.h or symbolic_vec.h first. With vec.h, the definitions compute on vectors. With symbolic_vec.h, they
// record the vector programs from which machine code is generated.
//
// exp, log, tanh, sigmoid and erf on vectors, by polynomials that the Remez exchange fitted. Tests measure relative
// errors below 5e-7. NaN gives NaN, and infinities give limits. The result of a lane depends on that lane alone.
namespace cavs::cpu::CAVS_ISA {

inline Vec abs(Vec a) { return from_bits(bits(a) & 0x7FFFFFFFU); }

/// max and min return the larger and the smaller number; NaN if either is NaN.
inline Vec max(Vec a, Vec b) { return select((a > b) | (a != a), a, b); }
inline Vec min(Vec a, Vec b) { return select((a < b) | (a != a), a, b); }

/// Returns the nearest integer, with the sign of x. Halves round to even.
inline Vec round(Vec x) {
  constexpr float kWhole = 8388608.0F;  // 2^23; all larger numbers are integers
  const Vec size = abs(x);
  const Vec nearest = (size + kWhole) - kWhole;  // floats from 2^23 to 2^24 have no fraction bits
  return select(size < kWhole, from_bits(bits(nearest) | (bits(x) & 0x80000000U)), x);
}

/// Evaluates a polynomial by Horner's scheme. The first coefficient is the constant term.
template <typename... Rest>
Vec polynomial(Vec x, float c0, Rest... rest) {
  if constexpr (sizeof...(rest) == 0)
    return splat(c0);
  else
    return fma(x, polynomial(x, rest...), splat(c0));
}

/// The argument of an exponential in the form x = power * ln 2 + rest, with |rest| <= ln 2 / 2. |x| must be below 2^15.
struct Reduced {
  Vec rounded;  // the float 1.5 * 2^23 + bias + power; the low bits of its representation are bias + power
  Vec rest;
};
/// Returns the reduction of x. With kPrecise, the rest is exact to the last bit. Else its error may be power * 2e-9.
template <int kBias, bool kPrecise>
Reduced reduce(Vec x) {
  constexpr float kMagic = 12582912.0F + kBias;
  const Vec rounded = fma(x, splat(1.44269504F), splat(kMagic));
  const Vec power = rounded - kMagic;
  if constexpr (kFused && !kPrecise) return {rounded, fma(power, splat(-0.693147182F), x)};
  // ln 2 in two parts. The first has so few bits that power * part is exact.
  Vec rest = fma(power, splat(-0.693359375F), x);
  rest = fma(power, splat(2.12194440e-4F), rest);
  return {rounded, rest};
}
/// Returns 2^power, given Reduced::rounded of a reduction with bias 127. Power 128 gives infinity, and -127 gives zero.
inline Vec power_of_two(Vec rounded) { return from_bits(bits(rounded) << 23); }

inline Vec exp(Vec x) {
  x = clamp(x, -104.5F, 89.0F);
  const auto [rounded, r] = reduce<0, true>(x);
  const Vec q = polynomial(r, 0.499999934F, 0.166665201F, 0.0416683939F, 0.00836878021F, 0.00138144806F);
  const Vec p = fma(r * r, q, r) + 1.0F;
  // 2^power may not be a float although p * 2^power is, so p is multiplied by 2^half and then by 2^(power - half). Thus
  // results overflow to infinity and round to denormals correctly.
  const Ints power = ints(bits(rounded) - 0x4B400000U);
  const Ints half = power >> 1;
  return p * from_bits(bits(half + 127) << 23) * from_bits(bits(power - half + 127) << 23);
}

/// Returns exp of x <= 0, in two thirds of the time of exp. Results below 2^-126.5 are zero.
inline Vec exp_of_negative(Vec x) {
  const auto [rounded, r] = reduce<127, true>(clamp(x, -88.0F, 1.0F));  // at -88, power is -127: the result is 0
  const Vec q = polynomial(r, 0.499999934F, 0.166665201F, 0.0416683939F, 0.00836878021F, 0.00138144806F);
  const Vec p = fma(r * r, q, r) + 1.0F;
  return p * power_of_two(rounded);
}

inline Vec sigmoid(Vec x) {
  const Vec y = clamp(-x, -87.0F, 88.72284F);  // at the upper limit power is 128, and the result 1 / (1 + inf) = 0
  const auto [rounded, r] = reduce<127, false>(y);
  const Vec q = polynomial(r, 0.499992288F, 0.166671163F, 0.0418905521F, 0.00831247922F);
  const Vec p = fma(r * r, q, r) + 1.0F;
  return 1.0F / fma(p, power_of_two(rounded), splat(1.0F));
}

/// Computes tanh x = m / (m + 2) with m = e^2x - 1, which is accurate near zero.
inline Vec tanh(Vec x) {
  const Vec y = clamp(x + x, -20.0F, 20.0F);
  const auto [rounded, r] = reduce<127, false>(y);
  const Vec q = polynomial(r, 0.499999981F, 0.166665432F, 0.0416672018F, 0.00836658028F, 0.00138825055F);
  const Vec power = power_of_two(rounded);
  const Vec m = fma(power, fma(r * r, q, r), power - 1.0F);
  return m / (m + 2.0F);
}

/// Computes log x = e ln 2 + f - f^2 / 2 + f^3 P(f), with x = 2^e (1 + f) and 1 + f in [sqrt 1/2, sqrt 2).
inline Vec log(Vec x) {
  const Ints tiny = x < 1.17549435e-38F;
  const Vec scaled = select(tiny, x * 8388608.0F, x);
  const Bits offset = bits(scaled) - 0x3F3504F3U;  // minus the bits of sqrt 1/2
  const Ints e = ints(offset) >> 23;
  const Vec f = from_bits((offset & 0x007FFFFFU) + 0x3F3504F3U) - 1.0F;
  const Vec power = to_floats(e) - select(tiny, splat(23.0F), splat(0.0F));
  const Vec square = f * f;
  Vec p = polynomial(f, 0.333339107F, -0.25001337F, 0.199630641F, -0.165775858F, 0.149147677F, -0.142674759F,
                     0.0870041679F);
  p = p * square * f;
  p = fma(power, splat(-2.12194440e-4F), p);
  p = fma(square, splat(-0.5F), p);
  Vec y = fma(power, splat(0.693359375F), f + p);
  y = select(x == 0.0F, splat(-__builtin_inff()), y);
  y = select(x < 0.0F, splat(__builtin_nanf("")), y);
  return select((x == __builtin_inff()) | (x != x), x, y);
}

/// Computes x P(x^2) for |x| < 1, else 1 - exp(Q(|x|)), where Q is the logarithm of erfc.
inline Vec erf(Vec x) {
  const Vec t = x * x;
  const Vec near =
      x * polynomial(t, 1.12837912F, -0.376123262F, 0.112801801F, -0.0267113101F, 0.00491755006F, -0.000563141693F);
  const Vec a = abs(x);
  const Vec b = clamp(a, 0.98F, 4.1F);
  const Vec log_erfc = polynomial(b, -0.000300472583F, -1.12725127F, -0.637883416F, -0.103327047F, 0.0219402795F,
                                  -0.00297240268F, 0.000188819452F);
  const Vec far = 1.0F - exp(log_erfc);
  const Vec signed_far = from_bits(bits(far) | (bits(x) & 0x80000000U));
  return select(a < 1.0F, near, signed_far);
}

}  // namespace cavs::cpu::CAVS_ISA
