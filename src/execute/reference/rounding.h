#pragma once

#include <cmath>
#include <cstdint>

namespace cavs::reference {

/// The rounding of the interpreter, whose numbers are float64: none, or of the operands of products to bf16.
enum class Rounding : std::uint8_t { kNone, kBf16 };

/// The nearest number of bf16, which has eight significant bits, to an operand of fp32; ties to even.
inline double round_to_bf16(double x) {
  constexpr int kBits = 8;
  int exponent = 0;
  const double fraction = std::frexp(static_cast<float>(x), &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, kBits)), exponent - kBits);
}

}  // namespace cavs::reference
