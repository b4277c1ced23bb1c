#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "ir/op.h"

namespace cavs::reference {

/// Element (row, column) of a value that is read in a higher domain or a wider shape: one row, or one column, is
/// used for all.
inline double broadcast_at(const ReferenceTensor& x, std::int64_t row, std::int64_t column) {
  return x.at(x.rows == 1 ? 0 : row, x.width == 1 ? 0 : column);
}

/// The rounding of the interpreter, whose numbers are float64: none, or of the operands of products to bf16.
enum class Rounding : std::uint8_t { kNone, kBf16 };

/// The nearest number of bf16, which has eight significant bits, to an operand of fp32; ties to even.
inline double round_to_bf16(double x) {
  constexpr int kBits = 8;
  int exponent = 0;
  const double fraction = std::frexp(static_cast<float>(x), &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, kBits)), exponent - kBits);
}

/// An operator at one vertex.
struct Operation {
  const Function& f;
  const Node& node;
  const std::vector<ReferenceTensor>& values;                          // [nodes] of the vertex
  Rounding rounding;                                                   // of products
  std::function<bool(std::int64_t row, std::int64_t column)> dropped;  // by the mask that the node draws
};

/// Computes a node that is neither a source nor a sink. @param y  sized, and zero
void compute(const Operation& operation, ReferenceTensor& y);

}  // namespace cavs::reference
