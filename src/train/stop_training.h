#pragma once

#include <optional>

#include "cavs/checkpoint.h"
#include "cavs/trainer.h"

namespace cavs::inline v0_1 {

/// Throws the UserError for a step whose loss or gradients are not finite. The message names the first such value.
/// @param position  Position of the step.
/// @param run       The last run of the step, if there is one.
[[noreturn]] void stop_training(const TrainOptions& options, const Checkpoint::Position& position, double loss,
                                const std::optional<Run>& run, const Gradients& gradients,
                                const Parameters& parameters);

}  // namespace cavs::inline v0_1
