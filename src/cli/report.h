#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cavs/checkpoint.h"
#include "cavs/evaluator.h"
#include "cavs/models.h"
#include "cavs/trainer.h"

namespace cavs::cli {

using Json = nlohmann::ordered_json;

/// Prints the object on one line of standard output.
void print_json(const Json& json);

/// Returns text for people: "64 samples, 2432 vertices".
std::string describe(const GraphSet& graphs);
std::int64_t count_numbers(const Parameters& parameters);

/// Returns the metric of a model, for data of this tag scheme. There is no F1 for tags that do not mark entities.
Metric metric_for(const ZooModel& model, std::string_view tag_scheme);

/// Returns an evaluation as JSON. Values that are not available are null.
Json to_json(const Evaluation& evaluation, Metric metric);

/// Returns the built-in model of a checkpoint; null if the checkpoint does not name one, or there is no such model.
const ZooModel* zoo_model_of(const Checkpoint& checkpoint);
/// Key of Checkpoint::extra under which 'cavs train' saves the name of the built-in model.
inline constexpr const char* kZooModelKey = "model";

/// Writes or replaces the whole file. @throws UserError if that fails; the message begins with `option`.
void write_file(const std::string& option, const std::string& path, const std::string& text);

}  // namespace cavs::cli
