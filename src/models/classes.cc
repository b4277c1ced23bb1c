#include "models/classes.h"

namespace cavs {

Value class_scores(Model& m, const ModelSizes& s, const Value& y) {
  auto Wy = m.parameter("Wy", {s.hidden, s.classes}), by = m.parameter("by", {s.classes}, zeros());
  return dropout(y, s.dropout) * Wy + by;
}

void predict_class(Model& m, Vertex& v, const ModelSizes& s, const Value& y) {
  auto logits = class_scores(m, s, y);
  v.push("logits", logits);
  v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
}

}  // namespace cavs
