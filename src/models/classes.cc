#include "models/classes.h"

#include "cavs/layers.h"

namespace cavs {

Value class_scores(Model& m, const ModelSizes& s, const Value& y) {
  return Linear(m, "output", s.hidden, s.classes)(dropout(y, s.dropout));
}

void predict_class(Model& m, Vertex& v, const ModelSizes& s, const Value& y) {
  auto logits = class_scores(m, s, y);
  v.push("logits", logits), v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
}

}  // namespace cavs
