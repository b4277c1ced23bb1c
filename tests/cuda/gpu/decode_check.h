#pragma once

#include <nlohmann/json.hpp>

namespace cavs::cuda {

// Checks of decoding with a GPU's engine batched: continued prompts, and translations with beams.

/// Compiles all kernels of the following checks, and runs none.
void prepare_decoding();
/// Compares words and scores with the CPU. Bits must agree in each form of launches, and for a single sentence.
nlohmann::json check_decoding();

}  // namespace cavs::cuda
