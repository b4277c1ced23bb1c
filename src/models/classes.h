#pragma once

#include "models/model_list.h"

namespace cavs::inline v0_1 {

/// The output layer of the zoo's models: scores of `classes` from y, [hidden].
Value class_scores(Model& m, const ModelConfig& config, const Value& y);

/// Pushes them as "logits", with the loss where the vertex has a label.
void predict_class(Model& m, Vertex& v, const ModelConfig& config, const Value& y);

}  // namespace cavs::inline v0_1
