#pragma once

#include "cavs/checkpoint.h"
#include "cavs/trainer.h"
#include "train/batches.h"

namespace cavs::inline v0_1 {

/// The key of Trainer::trained_by in TrainingRecord::extra.
inline constexpr const char* kTrainedByKey = "trained_by";

/// See Trainer::trained_by.
RecordedOptions trained_by(const TrainOptions& options, const Batches& batches);
/// @throws UserError with the differences to the options recorded in the checkpoint, if it records them.
void expect_same_training(const Checkpoint& checkpoint, const RecordedOptions& here);

}  // namespace cavs::inline v0_1
