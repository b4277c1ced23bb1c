#include "models/classes.h"

#include "cavs/layers.h"

namespace cavs::inline v0_1 {

Value class_scores(Model& m, const ModelConfig& config, const Value& y) {
  return Linear(m, "output", config.hidden, config.classes)(dropout(y, config.dropout));
}

void predict_class(Model& m, Vertex& v, const ModelConfig& config, const Value& y) {
  auto logits = class_scores(m, config, y);
  v.push("logits", logits);
  v.loss(softmax_cross_entropy(logits, v.pull_index("label"), {config.class_weights, config.label_smoothing}));
}

}  // namespace cavs::inline v0_1
