#pragma once

#include "cavs/parameters.h"
#include "tensor/array.h"

namespace cavs::inline v0_1::detail {

/// Gives engines that have their own copies of parameters or gradients access to the arrays.
struct ParametersAccess {
  static Array& array(const Parameters& parameters, int parameter) { return *parameters.arrays_[parameter]; }
  /// Returns the array of all gradients, as in Gradients::flat.
  static Array& array(const Gradients& gradients) { return *gradients.flat_; }
};

}  // namespace cavs::inline v0_1::detail
