#pragma once

#include <cstdint>

#include "cavs/continuer.h"

namespace cavs::cli {

/// Continues the prompts on standard input, one a line; prints a JSON object on a line for each. `batch_size`: so many
/// of them at once.
void continue_prompts(const TrainedModel& model, const SessionOptions& session, const ContinueOptions& options,
                      std::int64_t batch_size);

}  // namespace cavs::cli
