#pragma once

#include "cavs/parameters.h"
#include "tensor/array.h"

namespace cavs::inline v0_1::detail {

/// Access for engines that have their own copies.
struct ParametersAccess {
  static Array& array(const Parameters& parameters, int parameter) { return *parameters.arrays_[parameter]; }
  /// The array of all gradients, as in Gradients::flat.
  static Array& array(const Gradients& gradients) { return *gradients.flat_; }
};

}  // namespace cavs::inline v0_1::detail
