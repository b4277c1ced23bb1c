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
Scalar max(const Scalar& a, double b) { return max(a, constant_like(a, b)); }
Scalar min(const Scalar& a, double b) { return min(a, constant_like(a, b)); }
Scalar greater(const Scalar& a, double b) { return greater(a, constant_like(a, b)); }
Scalar equal(const Scalar& a, double b) { return equal(a, constant_like(a, b)); }

Scalar exp(const Scalar& a) { return ScalarBuilder::emit_like(ScalarOp::kExp, a); }
Scalar log(const Scalar& a) { return ScalarBuilder::emit_like(ScalarOp::kLog, a); }
Scalar sqrt(const Scalar& a) { return ScalarBuilder::emit_like(ScalarOp::kSqrt, a); }
Scalar abs(const Scalar& a) { return ScalarBuilder::emit_like(ScalarOp::kAbs, a); }
Scalar tanh(const Scalar& a) { return ScalarBuilder::emit_like(ScalarOp::kTanh, a); }
Scalar sigmoid(const Scalar& a) { return ScalarBuilder::emit_like(ScalarOp::kSigmoid, a); }
Scalar erf(const Scalar& a) { return ScalarBuilder::emit_like(ScalarOp::kErf, a); }

}  // namespace cavs::inline v0_1
