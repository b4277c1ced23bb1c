#include "models/cells.h"

namespace cavs {

// LSTM language model (the first workloads of Cavs, section 5: Fixed-LSTM and Var-LSTM, which differ in their chains
// alone): a vertex reads a word and predicts the next one.
Model lstm(const ModelSizes& s) {
  Model m({.seed = s.seed});
  const int d = s.embedding, h = s.hidden;
  auto E = m.lookup("embedding", {s.vocabulary, d});
  auto W = m.parameter("W", {d, 4 * h}), U = m.parameter("U", {h, 4 * h}), b = m.parameter("b", {4 * h}, zeros());
  auto Wy = m.parameter("Wy", {h, s.classes}), by = m.parameter("by", {s.classes}, zeros());

  m.vertex_function("token", [&](Vertex& v) {
    auto [c, y] = lstm_step(E(v.pull_index("word")) * W + v.gather(0, "h") * U + b, v.gather(0, "c"));
    v.scatter("c", c), v.scatter("h", y);
    auto logits = dropout(y, s.dropout) * Wy + by;
    v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
    v.push("logits", logits);
  });
  return m;
}

}  // namespace cavs
