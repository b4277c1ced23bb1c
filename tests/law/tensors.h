#pragma once

#include <map>
#include <string>
#include <vector>

namespace cavs::law {

/// Results by name, such as "push 'out'" and "gradient of 'W0'".
using Tensors = std::map<std::string, std::vector<double>>;

/// How far results may be from the reference: `relative` times its largest number, or `absolute`; of gradients
/// `absolute` times the largest of all, since rounding is all that is left of one whose terms cancel.
struct Tolerance {
  double relative = 1e-5;
  double absolute = 1e-6;
};

/// The first tensor that is further from the reference than the tolerance, or than `spread` times the distance of
/// `moved`, the results of the reference for a change as small as rounding; empty: there is none.
std::string difference(const Tensors& found, const Tensors& reference, const Tolerance& tolerance,
                       const Tensors* moved = nullptr, double spread = 0);

/// True where a change as small as rounding moves a tensor by more than a tenth of its largest number, as it may in
/// long chains: no two roundings agree then.
bool is_chaotic(const Tensors& moved, const Tensors& reference);

/// The first number whose bits differ; empty: there is none. A NaN equals itself, -0 is not 0.
std::string differing_bits(const Tensors& found, const Tensors& expected);

bool is_finite(const Tensors& tensors);

}  // namespace cavs::law
