#include "law/tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

namespace cavs::law {
namespace {

struct Distance {
  double largest = 0, difference = 0;  // largest number of the reference, largest difference
  std::size_t where = 0;
};

Distance distance(const std::vector<double>& found, const std::vector<double>& reference) {
  Distance d;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    d.largest = std::max(d.largest, std::abs(reference[i]));
    const double difference = std::abs(found[i] - reference[i]);
    if (difference <= d.difference) continue;
    d.difference = difference;
    d.where = i;
    if (std::isnan(difference)) break;
  }
  return d;
}

/// Compares names and sizes.
std::string other_sizes(const Tensors& found, const Tensors& expected) {
  for (const auto& [name, values] : expected) {
    const auto it = found.find(name);
    if (it == found.end()) return name + " is missing";
    if (it->second.size() == values.size()) continue;
    return name + " has " + std::to_string(it->second.size()) + " numbers, expected " + std::to_string(values.size());
  }
  return found.size() == expected.size() ? "" : "there are more results than expected";
}

/// A momentum counts as a gradient, because it is a sum of gradients. So does Adam's average.
bool is_gradient(const std::string& name) {
  return name.starts_with("gradient of") || name.starts_with("momentum of") || name.starts_with("exp_avg of");
}

/// True for the sums of squared gradients of AdaGrad and Adam.
bool is_square(const std::string& name) { return name.starts_with("sum of") || name.starts_with("exp_avg_sq of"); }

double largest_gradient(const Tensors& tensors) {
  double largest = 1;
  for (const auto& [name, values] : tensors)
    for (const double x : values) {
      if (is_gradient(name)) largest = std::max(largest, std::abs(x));
      if (is_square(name)) largest = std::max(largest, std::sqrt(x));
    }
  return largest;
}

/// The largest rounding error of a result, relative to Tolerance::absolute. Gradients are sums whose terms may be as
/// large as the largest gradient. The square of x has the error of x times 2 x.
double rounding_of(const std::string& name, double largest, double largest_gradient) {
  if (is_square(name)) return std::max(1.0, 2 * std::sqrt(largest) * largest_gradient);
  return is_gradient(name) ? largest_gradient : 1;
}

std::string report(const std::string& name, std::size_t where, std::size_t size, double found, double expected,
                   const std::string& more) {
  std::ostringstream text;
  text.precision(17);
  text << name << ", element " << where << " of " << size << ": " << found << ", expected " << expected << more;
  return text.str();
}

}  // namespace

std::string difference(const Tensors& found, const Tensors& reference, const Tolerance& tolerance, const Tensors* moved,
                       double spread) {
  if (std::string wrong = other_sizes(found, reference); !wrong.empty()) return wrong;
  const double largest = largest_gradient(reference);
  for (const auto& [name, expected] : reference) {
    const std::vector<double>& values = found.at(name);
    const Distance d = distance(values, expected);
    double allowed =
        std::max(tolerance.relative * d.largest, tolerance.absolute * rounding_of(name, d.largest, largest));
    if (moved != nullptr) allowed = std::max(allowed, spread * distance(moved->at(name), expected).difference);
    if (!(d.difference <= allowed))
      return report(name, d.where, expected.size(), values[d.where], expected[d.where],
                    " (largest " + std::to_string(d.largest) + ")");
  }
  return "";
}

bool is_chaotic(const Tensors& moved, const Tensors& reference) {
  return std::ranges::any_of(reference, [&](const auto& named) {
    const Distance d = distance(moved.at(named.first), named.second);
    return d.difference > 0.1 * d.largest && d.difference > 0.1;
  });
}

std::string differing_bits(const Tensors& found, const Tensors& expected) {
  if (std::string wrong = other_sizes(found, expected); !wrong.empty()) return wrong;
  for (const auto& [name, values] : expected)
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::memcmp(&found.at(name)[i], &values[i], sizeof(double)) != 0)
        return report(name, i, values.size(), found.at(name)[i], values[i], "; the bits differ");
  return "";
}

bool is_finite(const Tensors& tensors) {
  return std::ranges::all_of(tensors, [](const auto& named) {
    return std::ranges::all_of(named.second, [](double x) { return std::isfinite(x); });
  });
}

}  // namespace cavs::law
