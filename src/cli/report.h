#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cavs/checkpoint.h"
#include "cavs/evaluator.h"
#include "cavs/models.h"
#include "cavs/trainer.h"

namespace cavs::cli {

using Json = nlohmann::ordered_json;

/// One object on one line on standard output.
void print_json(const Json& json);

/// "64 samples, 2432 vertices".
std::string describe(const GraphSet& graphs);
std::int64_t count_numbers(const Parameters& parameters);

/// The metric of a model, for data of this tag scheme: tags that are no entities have no F1.
Metric metric_for(const ZooModel& model, std::string_view tag_scheme);

/// What is not available is null.
Json to_json(const Evaluation& evaluation, Metric metric);

/// The model of the zoo that a checkpoint was trained from; none where it does not say, or there is no such model.
const ZooModel* zoo_model_of(const Checkpoint& checkpoint);
/// Where train keeps its name: a key of Checkpoint::extra.
inline constexpr const char* kZooModelKey = "model";

/// Writes the file, or replaces it as a whole. @throws UserError if that fails. `option` starts the message.
void write_file(const std::string& option, const std::string& path, const std::string& text);

}  // namespace cavs::cli
