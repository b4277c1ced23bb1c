#include "ir/scalar_builder.h"

namespace cavs::inline v0_1 {

Scalar constant_like(const Scalar& a, double value) { return ScalarBuilder::constant_like(a, value); }

Scalar operator+(const Scalar& a, const Scalar& b) { return ScalarBuilder::emit_like(ScalarOp::kAdd, a, b); }
Scalar operator-(const Scalar& a, const Scalar& b) { return ScalarBuilder::emit_like(ScalarOp::kSub, a, b); }
Scalar operator*(const Scalar& a, const Scalar& b) { return ScalarBuilder::emit_like(ScalarOp::kMul, a, b); }
Scalar operator/(const Scalar& a, const Scalar& b) { return ScalarBuilder::emit_like(ScalarOp::kDiv, a, b); }
Scalar operator-(const Scalar& a) { return ScalarBuilder::emit_like(ScalarOp::kNeg, a); }
Scalar operator+(const Scalar& a, double b) { return a + constant_like(a, b); }
Scalar operator-(const Scalar& a, double b) { return a - constant_like(a, b); }
Scalar operator*(const Scalar& a, double b) { return a * constant_like(a, b); }
Scalar operator/(const Scalar& a, double b) { return a / constant_like(a, b); }
Scalar operator+(double a, const Scalar& b) { return b + a; }
Scalar operator-(double a, const Scalar& b) { return constant_like(b, a) - b; }
Scalar operator*(double a, const Scalar& b) { return b * a; }
Scalar operator/(double a, const Scalar& b) { return constant_like(b, a) / b; }

Scalar max(const Scalar& a, const Scalar& b) { return ScalarBuilder::emit_like(ScalarOp::kMax, a, b); }
Scalar min(const Scalar& a, const Scalar& b) { return ScalarBuilder::emit_like(ScalarOp::kMin, a, b); }
Scalar greater(const Scalar& a, const Scalar& b) { return ScalarBuilder::emit_like(ScalarOp::kGreater, a, b); }
Scalar equal(const Scalar& a, const Scalar& b) { return ScalarBuilder::emit_like(ScalarOp::kEqual, a, b); }
Scalar keep(const Scalar& a, const Scalar& b) { return ScalarBuilder::emit_like(ScalarOp::kKeep, a, b); }
Scalar max(const Scalar& a, double b) { return max(a, constant_like(a, b)); }
Scalar min(const Scalar& a, double b) { return min(a, constant_like(a, b)); }
Scalar greater(const Scalar& a, double b) { return greater(a, constant_like(a, b)); }
Scalar equal(const Scalar& a, double b) { return equal(a, constant_like(a, b)); }
Scalar keep(const Scalar& a, double b) { return keep(a, constant_like(a, b)); }
Scalar pow(const Scalar& a, double b) { return pow(a, constant_like(a, b)); }

Scalar exp(const Scalar& a) { return ScalarBuilder::emit_like(ScalarOp::kExp, a); }
Scalar log(const Scalar& a) { return ScalarBuilder::emit_like(ScalarOp::kLog, a); }
Scalar sqrt(const Scalar& a) { return ScalarBuilder::emit_like(ScalarOp::kSqrt, a); }
Scalar abs(const Scalar& a) { return ScalarBuilder::emit_like(ScalarOp::kAbs, a); }
Scalar tanh(const Scalar& a) { return ScalarBuilder::emit_like(ScalarOp::kTanh, a); }
Scalar sigmoid(const Scalar& a) { return ScalarBuilder::emit_like(ScalarOp::kSigmoid, a); }
Scalar erf(const Scalar& a) { return ScalarBuilder::emit_like(ScalarOp::kErf, a); }
Scalar round(const Scalar& a) { return ScalarBuilder::emit_like(ScalarOp::kRound, a); }

Scalar floor(const Scalar& a) {
  const Scalar nearest = round(a);
  return nearest - greater(nearest, a);
}

Scalar sign(const Scalar& a) { return greater(a, 0) - greater(constant_like(a, 0), a); }

namespace {

/// Returns 1 where `whole` is an even integer, and -1 where it is odd.
Scalar alternate(const Scalar& whole) {
  const Scalar odd = whole - round(whole * 0.5) * 2;
  return 1 - odd * odd * 2;
}

/// Returns the sine of a - turns * pi, whose magnitude is at most about pi / 2, by a polynomial (Remez exchange,
/// relative error 1e-8). pi is the sum of three numbers. The first two have so few bits that their products with
/// `turns` are exact for turns < 4,096. If `turns` is so large that the difference has no correct digit, it is clamped
/// to [-1.6, 1.6].
Scalar sine_of_rest(const Scalar& a, const Scalar& turns) {
  const Scalar rest = a - turns * 3.140625 - turns * 9.675025939941406e-4 - turns * 1.5099580252808664e-7;
  const Scalar r = max(min(rest, 1.6), -1.6);
  const Scalar t = r * r;
  const Scalar p =
      ((t * 2.6057655304612126e-6 - 1.980959641514346e-4) * t + 8.33306647837162e-3) * t - 0.16666659712791443;
  return r + r * t * p;
}

}  // namespace

Scalar sin(const Scalar& a) {
  const Scalar turns = round(a * 0.3183098861837907);
  return alternate(turns) * sine_of_rest(a, turns);
}

/// Computes cos(a) = sin(a + pi / 2). pi / 2 is subtracted together with the multiples of pi.
Scalar cos(const Scalar& a) {
  const Scalar turns = round(a * 0.3183098861837907 + 0.5);
  return alternate(turns) * sine_of_rest(a, turns - 0.5);
}

/// Computes a^b. Where a is 0, the logarithm of 1 is computed instead, so that derivatives at 0 are finite. The parity
/// of b is computed from a rounded number, so it has no derivative.
Scalar pow(const Scalar& a, const Scalar& b) {
  const Scalar none = constant_like(a, 0), zero = equal(a, 0), down = floor(b);
  const Scalar finite = keep(a, exp(b * log(abs(a) + zero)));
  const Scalar size = keep(b, finite - keep(zero * greater(none, b), log(none))) + equal(b, 0);  // inf if a = 0 > b
  const Scalar below = greater(none, a), whole = equal(down, b);
  const Scalar sign = 1 - keep(below * whole, 1 - alternate(down));
  return size * sign + keep(below * (1 - whole), log(constant_like(a, -1)));  // NaN if a < 0 and b is not whole
}

}  // namespace cavs::inline v0_1
