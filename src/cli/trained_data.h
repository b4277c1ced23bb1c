#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cavs/checkpoint.h"
#include "cavs/data.h"
#include "cavs/trained_model.h"

namespace cavs::cli {

/// Returns options that load data for a trained model, with its words and classes, as the graphs of the data,
/// from which the model's graphs are then built. The options refer to `trained`.
DataOptions data_options_for(const TrainedModel& trained, const Checkpoint& checkpoint,
                             std::optional<std::uint64_t> seed);

/// Loads the data of `spec` for a trained model, with its words, classes and graphs. `seed` is for generators;
/// nullopt means the seed of the training.
Dataset load_data_for(const TrainedModel& trained, const Checkpoint& checkpoint, const std::string& spec,
                      std::optional<std::uint64_t> seed);

/// @throws UserError if the data have words as text, but the model was saved without a vocabulary
void check_vocabulary(const TrainedModel& trained, const std::string& spec);

}  // namespace cavs::cli
