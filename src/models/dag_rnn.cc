#include "models/cells.h"

namespace cavs {

// DAG-RNN (Shuai et al., CVPR 2016, equation 5): a vertex adds up the states of its children, of which other vertices
// may be parents, too; a class for each vertex.
Model dag_rnn(const ModelSizes& s) {
  Model m({.seed = s.seed});
  const int d = s.embedding, h = s.hidden;
  auto E = m.lookup("embedding", {s.vocabulary, d});
  auto U = m.parameter("U", {d, h}), W = m.parameter("W", {h, h}), b = m.parameter("b", {h}, zeros());
  auto V = m.parameter("V", {h, s.classes}), c = m.parameter("c", {s.classes}, zeros());

  m.vertex_function("vertex", [&](Vertex& v) {
    auto y = tanh(E(v.pull_index("word")) * U + sum(v.children("h")) * W + b);
    v.scatter("h", y);
    auto logits = dropout(y, s.dropout) * V + c;
    v.push("logits", logits);
    v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
  });
  return m;
}

}  // namespace cavs
