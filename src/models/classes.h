#pragma once

#include "models/model_list.h"

namespace cavs::inline v0_1 {

/// The output layer of the library's models: computes the scores of the classes from y, [hidden].
Value class_scores(Model& m, const ModelConfig& config, const Value& y);

/// Pushes class_scores() as "logits", and adds the loss at vertices with a label.
void predict_class(Model& m, Vertex& v, const ModelConfig& config, const Value& y);

}  // namespace cavs::inline v0_1
