#include "models/cells.h"

namespace cavs {

// GRU language model (Cho et al., EMNLP 2014): a vertex reads a word and predicts the next one.
Model gru(const ModelSizes& s) {
  Model m({.seed = s.seed});
  const int d = s.embedding, h = s.hidden;
  auto E = m.lookup("embedding", {s.vocabulary, d});
  auto W = m.parameter("W", {d, 2 * h}), U = m.parameter("U", {h, 2 * h}), b = m.parameter("b", {2 * h}, zeros());
  auto V = m.parameter("V", {d, h}), C = m.parameter("C", {h, h}), c = m.parameter("c", {h}, zeros());
  auto Wy = m.parameter("Wy", {h, s.classes}), by = m.parameter("by", {s.classes}, zeros());

  m.vertex_function("token", [&](Vertex& v) {
    auto x = E(v.pull_index("word"));
    auto y = gru_step(x * W + b, x * V + c, v.gather(0, "h"), U, C);
    v.scatter("h", y);
    auto logits = dropout(y, s.dropout) * Wy + by;
    v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
    v.push("logits", logits);
  });
  return m;
}

}  // namespace cavs
