#pragma once

#include <nlohmann/json.hpp>

#include "cuda/gpu/prepared.h"

namespace cavs::cuda {

// Checks of a GPU's engine batched through the public interface, with sessions and trainers. Kernels come from the
// cache in the prepared folder.

/// Compiles all kernels of the following checks, and runs none.
void prepare_batched(bool small);
/// Compares all models with the reference engine. Bits must agree in each form of launches, and for a single sample.
nlohmann::json check_batched(bool small);
/// Times training steps of real sizes in each form of launches, by the host's clock.
nlohmann::json time_batched(bool small);

}  // namespace cavs::cuda
