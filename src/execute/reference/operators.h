#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "ir/op.h"

namespace cavs::reference {

/// Returns element (row, column) of a value that is broadcast to a higher domain or a wider shape. If the value has
/// only one row or column, that is used for all.
inline double broadcast_at(const ReferenceTensor& x, std::int64_t row, std::int64_t column) {
  return x.at(x.rows == 1 ? 0 : row, x.width == 1 ? 0 : column);
}

/// Rounding in the float64 interpreter. Only operands of products are rounded.
enum class Rounding : std::uint8_t { kNone, kBf16, kTf32 };

/// Returns an fp32 operand, rounded to the nearest number of bf16 (eight significant bits) or TF32 (eleven). Ties round
/// to even in bf16 and away from zero in TF32, as in processors.
inline double rounded_operand(double x, Rounding rounding) {
  const int bits = rounding == Rounding::kBf16 ? 8 : 11;
  int exponent = 0;
  const double scaled = std::ldexp(std::frexp(static_cast<float>(x), &exponent), bits);
  return std::ldexp(rounding == Rounding::kBf16 ? std::nearbyint(scaled) : std::round(scaled), exponent - bits);
}

/// The evaluation of an operator at one vertex.
struct Operation {
  const Function& f;
  const Node& node;
  const std::vector<ReferenceTensor>& values;                          // [nodes] values of the vertex
  Rounding rounding;                                                   // how operands of products are rounded
  std::function<bool(std::int64_t row, std::int64_t column)> dropped;  // true if dropout zeroes the element
};

/// Computes a node that is neither a source nor a sink. @param y  has the result's size, and is zero before
void compute(const Operation& operation, ReferenceTensor& y);

}  // namespace cavs::reference
