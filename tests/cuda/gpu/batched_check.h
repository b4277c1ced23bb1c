#pragma once

#include <nlohmann/json.hpp>

#include "cuda/gpu/prepared.h"

namespace cavs::cuda {

// Engine batched of a GPU, through the library as a user has it: sessions and trainers. Kernels come from the prepared
// folder's cache.

/// Makes the kernels of all that follows, and runs none.
void prepare_batched(bool small);
/// All models: against the reference engine, to the same bits in each form of launches, and of a sample alone.
nlohmann::json check_batched(bool small);
/// Training steps of real sizes in each form, by the host's clock.
nlohmann::json time_batched(bool small);

}  // namespace cavs::cuda
