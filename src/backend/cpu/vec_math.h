#pragma once

// Include vec.h, or symbolic_vec.h, before this: the same definitions run on vectors and make the vector programs that
// machine code is generated from.
//
// exp, log, tanh, sigmoid, erf on vectors: polynomials fitted by Remez' exchange; errors (measured by the tests) stay
// below 5e-7 relative. NaN gives NaN, infinities their limits. A lane's result depends on that lane alone.
namespace cavs::cpu::CAVS_ISA {

inline Vec abs(Vec a) { return from_bits(bits(a) & 0x7FFFFFFFU); }

/// The larger or smaller; NaN where either is.
inline Vec max(Vec a, Vec b) { return select((a > b) | (a != a), a, b); }
inline Vec min(Vec a, Vec b) { return select((a < b) | (a != a), a, b); }

/// The nearest whole number, halves to the even one, with the sign of x.
inline Vec round(Vec x) {
  constexpr float kWhole = 8388608.0F;  // 2^23: from here on all numbers are whole
  const Vec size = abs(x);
  const Vec nearest = (size + kWhole) - kWhole;  // between 2^23 and 2^24 there are no bits for less than 1
  return select(size < kWhole, from_bits(bits(nearest) | (bits(x) & 0x80000000U)), x);
}

/// Horner's scheme; coefficients from the constant term upwards.
template <typename... Rest>
Vec polynomial(Vec x, float c0, Rest... rest) {
  if constexpr (sizeof...(rest) == 0)
    return splat(c0);
  else
    return fma(x, polynomial(x, rest...), splat(c0));
}

/// x = power * ln 2 + rest, |rest| <= ln 2 / 2, for |x| < 2^15.
struct Reduced {
  Vec rounded;  // 1.5 * 2^23 + bias + power: the low bits hold bias + power
  Vec rest;
};
/// kPrecise: the rest is exact to the last bit; otherwise off by power * 2e-9 where multiply-adds are fused.
template <int kBias, bool kPrecise>
Reduced reduce(Vec x) {
  constexpr float kMagic = 12582912.0F + kBias;
  const Vec rounded = fma(x, splat(1.44269504F), splat(kMagic));
  const Vec power = rounded - kMagic;
  if constexpr (kFused && !kPrecise) return {rounded, fma(power, splat(-0.693147182F), x)};
  // ln 2 in two parts, the first short enough that power * part is exact.
  Vec rest = fma(power, splat(-0.693359375F), x);
  rest = fma(power, splat(2.12194440e-4F), rest);
  return {rounded, rest};
}
/// 2^power of a reduction with bias 127; infinity for power 128, zero for -127.
inline Vec power_of_two(Vec rounded) { return from_bits(bits(rounded) << 23); }

inline Vec exp(Vec x) {
  x = clamp(x, -104.5F, 89.0F);
  const auto [rounded, r] = reduce<0, true>(x);
  const Vec q = polynomial(r, 0.499999934F, 0.166665201F, 0.0416683939F, 0.00836878021F, 0.00138144806F);
  const Vec p = fma(r * r, q, r) + 1.0F;
  // The power in two halves: overflows to infinity and rounds to denormals as it should.
  const Ints power = ints(bits(rounded) - 0x4B400000U);
  const Ints half = power >> 1;
  return p * from_bits(bits(half + 127) << 23) * from_bits(bits(power - half + 127) << 23);
}

/// exp of x <= 0, in two thirds of the time: zero below 2^-126.5.
inline Vec exp_of_negative(Vec x) {
  const auto [rounded, r] = reduce<127, true>(clamp(x, -88.0F, 1.0F));  // the lower limit rounds to power -127: 0
  const Vec q = polynomial(r, 0.499999934F, 0.166665201F, 0.0416683939F, 0.00836878021F, 0.00138144806F);
  const Vec p = fma(r * r, q, r) + 1.0F;
  return p * power_of_two(rounded);
}

inline Vec sigmoid(Vec x) {
  const Vec y = clamp(-x, -87.0F, 88.72284F);  // the upper limit rounds to power 128: 1 / (1 + inf) = 0
  const auto [rounded, r] = reduce<127, false>(y);
  const Vec q = polynomial(r, 0.499992288F, 0.166671163F, 0.0418905521F, 0.00831247922F);
  const Vec p = fma(r * r, q, r) + 1.0F;
  return 1.0F / fma(p, power_of_two(rounded), splat(1.0F));
}

/// With m = e^2x - 1, kept accurate near zero: tanh x = m / (m + 2).
inline Vec tanh(Vec x) {
  const Vec y = clamp(x + x, -20.0F, 20.0F);
  const auto [rounded, r] = reduce<127, false>(y);
  const Vec q = polynomial(r, 0.499999981F, 0.166665432F, 0.0416672018F, 0.00836658028F, 0.00138825055F);
  const Vec power = power_of_two(rounded);
  const Vec m = fma(power, fma(r * r, q, r), power - 1.0F);
  return m / (m + 2.0F);
}

/// x = 2^e (1 + f), 1 + f in [sqrt 1/2, sqrt 2): log x = e ln 2 + f - f^2 / 2 + f^3 P(f).
inline Vec log(Vec x) {
  const Ints tiny = x < 1.17549435e-38F;
  const Vec scaled = select(tiny, x * 8388608.0F, x);
  const Bits offset = bits(scaled) - 0x3F3504F3U;  // sqrt 1/2
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

/// |x| < 1: x P(x^2); beyond: 1 - exp(Q(|x|)), Q being the logarithm of erfc.
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
