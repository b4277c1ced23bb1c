#pragma once

#include <bit>

#include "bindings.h"
#include "evaluated_model.h"

namespace cavs::python {

// The bits by which cavs.torch writes the Mode of a pass.
constexpr int kGradients = 1, kDropout = 2, kInputGradients = 4;

inline Mode mode_of(int bits) {
  return {.gradients = (bits & (kGradients | kDropout)) != 0,
          .dropout = (bits & kDropout) != 0,
          .input_gradients = (bits & kInputGradients) != 0};
}

/// The method `token` of an open pass. Returns an array over member `token` of the pass, which keeps the pass alive.
template <typename OpenPass>
auto token_of(nb::handle self, std::int64_t number) {
  auto& pass = nb::cast<OpenPass&>(self);
  pass.token = std::bit_cast<double>(number);
  const std::size_t shape[]{1};
  return nb::ndarray<nb::numpy, double>(&pass.token, 1, shape, self).cast(nb::rv_policy::reference);
}
inline constexpr const char* kTokenDoc =
    "An array with one float that has the bits of the number. It keeps the run open.";

}  // namespace cavs::python
