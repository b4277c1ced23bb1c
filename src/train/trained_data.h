#pragma once

#include <cstddef>

#include "cavs/checkpoint.h"
#include "cavs/data.h"
#include "cavs/trained_model.h"

namespace cavs::inline v0_1 {

/// How data are loaded that a trained model takes: with its words, classes, tags and schema. Refers to `trained`.
DataOptions data_options_for(const TrainedModel& trained);

/// What a checkpoint keeps of the data that a model is trained on, so that others can be read as these were.
/// @return 0, or the bytes of a lexicon that is left out, since it has more than kMaxLexiconBytes
std::size_t record_data(const Dataset& data, Checkpoint& record);

}  // namespace cavs::inline v0_1
