#pragma once

#include <vector>

#include "cavs/distributed.h"
#include "cavs/trainer.h"

namespace cavs::inline v0_1 {

/// Returns facts that must be equal on all ranks that train one model. A cause precedes its effects, to be reported.
/// @param trained_by  Trainer::trained_by.
std::vector<Job::Fact> training_facts(const TrainOptions& options, const RecordedOptions& trained_by,
                                      const Model& model, const Session& session, const Optimizer& optimizer,
                                      const Checkpoint::Position& position, const Parameters& parameters);

/// A hash of all values. Cost: reads all values.
std::string hash_of(const Parameters& parameters);

}  // namespace cavs::inline v0_1
