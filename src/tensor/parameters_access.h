#pragma once

#include <functional>

#include "cavs/parameters.h"

namespace cavs::detail {

/// For engines that keep weights in a form of their own while a model is trained.
struct ParametersAccess {
  /// Evicts the values: they are stored elsewhere from now on. When they are needed, `fetch` writes them, row-major,
  /// and they are here again. Values that the caller owns are not evicted.
  static void evict(Parameters& parameters, int parameter, std::function<void(float*)> fetch);
  /// The values are here again.
  static void restore(const Parameters& parameters, int parameter) { parameters.restore(parameter); }
  static bool is_evicted(const Parameters& parameters, int parameter) {
    return parameters.evicted_[parameter].load(std::memory_order_acquire);
  }
  /// Whether the values are not the caller's (Parameters::bind).
  static bool is_owned(const Parameters& parameters, int parameter) { return !parameters.owned_[parameter].empty(); }
};

}  // namespace cavs::detail
