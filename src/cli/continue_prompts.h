#pragma once

#include "cavs/continuer.h"
#include "cli/input_lines.h"
#include "cli/text_output.h"

namespace cavs::cli {

/// Continues prompts, a line each, and prints each with its continuation.
void continue_prompts(const TrainedModel& model, const SessionOptions& session, const ContinueOptions& options,
                      InputLines& input, const TextOutput& output);

}  // namespace cavs::cli
