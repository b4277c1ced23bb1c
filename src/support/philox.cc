#include "support/philox.h"

#include <cmath>
#include <numbers>

namespace cavs {

float Random::normal() {
  const double u = 1.0 - (next() >> 8) * 0x1p-24, v = (next() >> 8) * 0x1p-24;  // u in (0, 1]
  return static_cast<float>(std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v));
}

}  // namespace cavs
