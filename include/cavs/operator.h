#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cavs/model.h"
#include "cavs/version.h"

namespace cavs::inline v0_1 {
struct ScalarCode;
struct DefinedOperator;
}  // namespace cavs::inline v0_1

namespace cavs {
inline namespace CAVS_API v0_1 {

/// A symbolic number in the expression of an element-wise operator: an argument of the expression, or the result of a
/// function below. Cheap to copy.
class Scalar {
 public:
  Scalar() = default;

 private:
  friend class ScalarBuilder;
  Scalar(std::shared_ptr<ScalarCode> code, std::int16_t reg) : code_(std::move(code)), reg_(reg) {}

  std::shared_ptr<ScalarCode> code_;
  std::int16_t reg_ = 0;
};

// All functions below throw UserError if a Scalar is empty, or if two belong to different expressions.
Scalar operator+(const Scalar& a, const Scalar& b);
Scalar operator-(const Scalar& a, const Scalar& b);
Scalar operator*(const Scalar& a, const Scalar& b);
Scalar operator/(const Scalar& a, const Scalar& b);
Scalar operator-(const Scalar& a);
Scalar operator+(const Scalar& a, double b);
Scalar operator-(const Scalar& a, double b);
Scalar operator*(const Scalar& a, double b);
Scalar operator/(const Scalar& a, double b);
Scalar operator+(double a, const Scalar& b);
Scalar operator-(double a, const Scalar& b);
Scalar operator*(double a, const Scalar& b);
Scalar operator/(double a, const Scalar& b);
Scalar max(const Scalar& a, const Scalar& b);
Scalar min(const Scalar& a, const Scalar& b);
Scalar greater(const Scalar& a, const Scalar& b);  // 1 where a > b, else 0
Scalar equal(const Scalar& a, const Scalar& b);    // 1 where a == b, else 0
Scalar keep(const Scalar& a, const Scalar& b);     // b where a != 0, else 0, even if b is infinite or NaN
Scalar max(const Scalar& a, double b);
Scalar min(const Scalar& a, double b);
Scalar greater(const Scalar& a, double b);
Scalar equal(const Scalar& a, double b);
Scalar keep(const Scalar& a, double b);
Scalar pow(const Scalar& a, double b);
Scalar exp(const Scalar& a);
Scalar log(const Scalar& a);
Scalar sqrt(const Scalar& a);
Scalar abs(const Scalar& a);
Scalar tanh(const Scalar& a);
Scalar sigmoid(const Scalar& a);
Scalar erf(const Scalar& a);
Scalar round(const Scalar& a);  // halves to even; no gradient, like floor and sign
Scalar floor(const Scalar& a);
Scalar sign(const Scalar& a);
Scalar sin(const Scalar& a);  // error at most 5e-7 for |a| < 10,000, like cos
Scalar cos(const Scalar& a);
Scalar pow(const Scalar& a, const Scalar& b);  // NaN for a < 0 unless b is an integer; no gradient at a = 0
/// A constant in the expression of `a`.
Scalar constant_like(const Scalar& a, double value);

/// The inputs of an operator's expression: one element of each input.
class ScalarInputs {
 public:
  explicit ScalarInputs(std::vector<Scalar> inputs) : inputs_(std::move(inputs)) {}
  /// @throws UserError if the operator has no input `i`.
  const Scalar& operator[](std::size_t i) const;
  std::size_t size() const { return inputs_.size(); }

 private:
  std::vector<Scalar> inputs_;
};

/// The arguments of a gradient: the inputs x, the output y, and dy, the gradient of the loss with respect to y.
struct GradientArguments {
  ScalarInputs x;
  Scalar y, dy;
};

/// The definition of an element-wise operator.
struct OperatorDefinition {
  std::string name;  // letters, digits and "_"; not the name of an operator of the library
  int inputs = 1;    // number of inputs, 1 to 8
  /// Computes y from the elements x[0], x[1], ... Called once, when the operator is constructed.
  std::function<Scalar(const ScalarInputs& x)> expression;
  /// Computes dx[i], the gradient with respect to input i, for each input; it must be linear in dy. Called once. If
  /// null, the gradient is derived from the expression by the chain rule; equal operands of max and min then share the
  /// gradient, abs has no gradient at 0, and greater and equal have none. Pass a function for a cheaper or more stable
  /// form, or another gradient (such as a straight-through estimator).
  std::function<std::vector<Scalar>(const GradientArguments& g)> gradient = nullptr;
  std::string doc = {};
};

/// An element-wise operator from outside the library, for use in vertex functions:
///
///     const cavs::Operator softplus({
///         .name = "softplus",
///         .expression = [](const auto& x) { return max(x[0], 0) + log(1 + exp(-abs(x[0]))); },
///         .gradient = [](const auto& g) { return std::vector{g.dy * sigmoid(g.x[0])}; },
///     });
///     m.vertex_function("cell", [&](cavs::Vertex& v) { v.scatter("h", softplus(v.gather(0, "h"))); });
///
/// An Operator runs like the library's own operators: fused with its neighbours, and interpreted or compiled to machine
/// code. There is no registry. A model's JSON, and so a checkpoint, contains the definitions of its operators, so a
/// program that loads the model needs no declaration. A combination of existing operators needs no Operator; write a
/// function from Values to a Value. Immutable, cheap to copy, and usable by many models and threads.
class Operator {
 public:
  /// @throws UserError if the name is empty, has characters that are not allowed, or is that of a library operator; if
  /// there is no expression; unless the gradient has one result per input, each linear in dy; for a constant that is
  /// not finite; and for more than 256 instructions.
  explicit Operator(const OperatorDefinition& definition);

  /// Applies the operator to values of one shape. Scalars and rows are broadcast (join in cavs/attributes.h).
  /// @throws UserError for a wrong number of inputs, or shapes that cannot be broadcast.
  template <std::same_as<Value>... More>
  Value operator()(const Value& x, const More&... more) const {
    return apply({x, more...});
  }
  /// Like operator(), with the inputs in a list.
  Value apply(const std::vector<Value>& in) const;

 private:
  std::shared_ptr<const DefinedOperator> definition_;
};

}  // namespace v0_1
}  // namespace cavs
