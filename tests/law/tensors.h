#pragma once

#include <map>
#include <string>
#include <vector>

namespace cavs::law {

/// Results by name, such as "push 'out'" and "gradient of 'W0'".
using Tensors = std::map<std::string, std::vector<double>>;

/// Allowed distance from the reference: `relative` times the tensor's largest number, or `absolute`. For gradients it
/// is `absolute` times the largest of all gradients, because a gradient whose terms cancel consists of rounding errors.
/// Squares of gradients are allowed the error that follows from that of the gradients.
struct Tolerance {
  double relative = 1e-5;
  double absolute = 1e-6;
};

/// The first tensor that is further from the reference than the tolerance, and than `spread` times the distance of
/// `moved`: results of the reference after a change as small as rounding. Empty if there is none.
std::string difference(const Tensors& found, const Tensors& reference, const Tolerance& tolerance,
                       const Tensors* moved = nullptr, double spread = 0);

/// True if a change as small as rounding moves a tensor by more than a tenth of its largest number, as in some long
/// chains. Two computations that round differently need not agree then.
bool is_chaotic(const Tensors& moved, const Tensors& reference);

/// The first number whose bits differ. Empty if there is none. A NaN equals itself, and -0 is not 0.
std::string differing_bits(const Tensors& found, const Tensors& expected);

bool is_finite(const Tensors& tensors);

}  // namespace cavs::law
