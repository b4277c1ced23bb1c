#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cavs/data.h"

namespace cavs::cli {

/// Accepts the values of --class-weights: "balanced", or NAME=WEIGHT separated by commas.
CLI::Validator class_weight_list();

/// Returns a weight for each class of the data; empty if the text is empty. "balanced" gives a class the weight
/// labels / (classes * labels of the class), counted in the training part, and 1 to a class without labels.
/// @throws UserError for an unknown class, a duplicate class, and "balanced" with a stream.
std::vector<float> class_weights(const std::string& text, const Dataset& data);

}  // namespace cavs::cli
