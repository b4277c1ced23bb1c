#include "models/classes.h"

namespace cavs::inline v0_1 {

// DAG-RNN (Shuai et al., CVPR 2016, equation 5): a vertex sums the states of its children, which may have other
// parents, too. Predicts a class for each vertex.
Model dag_rnn(const ModelConfig& config) {
  Model m({.seed = config.seed});
  const int d = config.embedding, h = config.hidden;
  auto E = m.lookup("embedding", {config.vocabulary, d});
  auto U = m.parameter("U", {d, h}), W = m.parameter("W", {h, h}), b = m.parameter("b", {h}, zeros());
  m.vertex_function("vertex", [&](Vertex& v) {
    auto y = tanh(E(v.pull_index("word")) * U + sum(v.children("h")) * W + b);
    v.scatter("h", y);
    predict_class(m, v, config, y);
  });
  return m;
}

}  // namespace cavs::inline v0_1
