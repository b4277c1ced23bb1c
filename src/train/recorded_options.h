#pragma once

#include "cavs/checkpoint.h"
#include "cavs/trainer.h"
#include "train/batches.h"

namespace cavs::inline v0_1 {

/// Where a checkpoint keeps Trainer::trained_by: a key of TrainingRecord::extra.
inline constexpr const char* kTrainedByKey = "trained_by";

/// See Trainer::trained_by.
RecordedOptions trained_by(const TrainOptions& options, const Batches& batches);
/// @throws UserError naming what differs from the training that the checkpoint is of, where it says.
void expect_same_training(const Checkpoint& checkpoint, const RecordedOptions& here);

}  // namespace cavs::inline v0_1
