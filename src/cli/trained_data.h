#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cavs/checkpoint.h"
#include "cavs/data.h"
#include "cavs/trained_model.h"

namespace cavs::cli {

/// How data are loaded that a trained model takes, before its own graphs are made of them: with its words, classes and
/// tags. Refers to `trained`.
DataOptions data_options_for(const TrainedModel& trained, const Checkpoint& checkpoint,
                             std::optional<std::uint64_t> seed);

/// The data that `spec` names, as a trained model takes them: with its words, classes, tags and graphs. `seed`: of
/// generators; none: that of the training.
Dataset load_data_for(const TrainedModel& trained, const Checkpoint& checkpoint, const std::string& spec,
                      std::optional<std::uint64_t> seed);

/// @throws UserError where the data have words, by their text, that the model was saved without
void check_vocabulary(const TrainedModel& trained, const std::string& spec);

}  // namespace cavs::cli
