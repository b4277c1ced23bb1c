#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cavs/data.h"

namespace cavs::cli {

/// What --class-weights may be: "balanced", or NAME=WEIGHT separated by commas.
CLI::Validator class_weight_list();

/// A weight for each class of the data; empty where the text is. "balanced": labels / (classes * labels of the class)
/// in the training part, 1 for a class without labels.
/// @throws UserError for a class that is none, or there twice, and for what a stream cannot tell.
std::vector<float> class_weights(const std::string& text, const Dataset& data);

}  // namespace cavs::cli
