#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "helpers/evaluate.h"

namespace cavs {

/// Returns the compiler passes that change which numbers a product rounds to bf16. Without these passes, the engines
/// round the same operands as the reference.
///  - simplify: one product replaces two equal ones, so their gradients are summed before they are rounded.
///  - share_lookups: one product serves all vertices that look up one row, so their gradients are summed, too.
inline std::vector<std::string> passes_that_move_rounding() { return {"simplify", "share_lookups"}; }

/// Bound of largest_error() in bf16, compared with the reference that rounds to bf16, too, if a pass moves rounding.
inline constexpr double kBf16Bound = 2e-2;

/// Returns the largest difference, divided by the reference's largest number; NaN if any difference is NaN.
inline double largest_error(std::span<const float> found, std::span<const float> reference) {
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    largest = std::max(largest, std::abs(double{reference[i]}));
    const double d = std::abs(double{found[i]} - double{reference[i]});
    if (std::isnan(d) || d > difference) difference = d;
  }
  return difference == 0 ? 0 : difference / largest;
}

inline double largest_error(const Result& found, const Result& reference) {
  double worst = std::abs(found.loss - reference.loss) / std::abs(reference.loss);
  const auto add = [&](double error) {
    if (std::isnan(error) || error > worst) worst = error;
  };
  for (const auto& [port, values] : reference.outputs) add(largest_error(found.outputs.at(port), values));
  for (std::size_t p = 0; p < reference.gradients.size(); ++p)
    add(largest_error(found.gradients.values(p), reference.gradients.values(p)));
  return worst;
}

}  // namespace cavs
