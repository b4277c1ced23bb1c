#pragma once

#include <cstdint>

#include "cavs/checkpoint.h"
#include "cavs/model.h"
#include "cavs/trainer.h"
#include "train/recorded_options.h"

namespace cavs::inline v0_1 {

/// Checks that training can resume from a checkpoint. @throws UserError that names the first difference.
/// @param samples     Number of training samples.
/// @param trained_by  Options to compare with those of the checkpoint; nullptr if they may differ.
void check_resume(const Checkpoint& checkpoint, const Model& model, const TrainOptions& options, std::int64_t samples,
                  const RecordedOptions* trained_by);

}  // namespace cavs::inline v0_1
