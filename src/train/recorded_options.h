#pragma once

#include "cavs/checkpoint.h"
#include "cavs/trainer.h"
#include "train/batches.h"

namespace cavs::inline v0_1 {

/// The key of the options of Trainer::trained_by in TrainingRecord::extra.
inline constexpr const char* kTrainedByKey = "trained_by";

/// Makes the result of Trainer::trained_by.
RecordedOptions trained_by(const TrainOptions& options, const Batches& batches);
/// @throws UserError that lists the differences between `here` and the options that the checkpoint records, if any.
void expect_same_training(const Checkpoint& checkpoint, const RecordedOptions& here);

}  // namespace cavs::inline v0_1
