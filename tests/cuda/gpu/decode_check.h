#pragma once

#include <nlohmann/json.hpp>

namespace cavs::cuda {

// Decoding with engine batched of a GPU: continued prompts, and translations with beams.

/// Makes the kernels of all that follows, and runs none.
void prepare_decoding();
/// Against the CPU: the same words and scores; to the same bits in each form of launches, and of a sentence alone.
nlohmann::json check_decoding();

}  // namespace cavs::cuda
