#pragma once

#include "cavs/parameters.h"
#include "tensor/array.h"

namespace cavs::inline v0_1::detail {

/// For engines that have copies of their own.
struct ParametersAccess {
  static Array& array(const Parameters& parameters, int parameter) { return *parameters.arrays_[parameter]; }
  /// Of all gradients, as Gradients::flat.
  static Array& array(const Gradients& gradients) { return *gradients.flat_; }
};

}  // namespace cavs::inline v0_1::detail
