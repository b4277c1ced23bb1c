#include "models/classes.h"
#include "models/tree_parts.h"

namespace cavs::inline v0_1 {

// Child-sum Tree-LSTM (Tai et al., ACL 2015, equations 2-8; Cavs, Figure 4) for any number of children.
Value child_sum_lstm(Model& m, const ModelConfig& config, Vertex& v) {
  const int d = config.embedding, h = config.hidden;
  auto E = m.lookup("embedding", {config.vocabulary, d});
  auto W = m.parameter("W", {d, 3 * h}), U = m.parameter("U", {h, 3 * h}), b = m.parameter("b", {3 * h}, zeros());
  auto Wf = m.parameter("Wf", {d, h}), Uf = m.parameter("Uf", {h, h}), bf = m.parameter("bf", {h}, zeros());

  auto x = E(v.pull_index("word"));                 // [d]; zeros without a word
  auto hs = v.children("h"), cs = v.children("c");  // one row per child
  auto [i, o, u] = split<3>(x * W + sum(hs) * U + b);
  auto f = sigmoid(x * Wf + hs * Uf + bf);  // one row per child; x * Wf is repeated for each child
  auto c = sigmoid(i) * tanh(u) + sum(f * cs);
  auto y = sigmoid(o) * tanh(c);
  v.scatter("c", c);
  v.scatter("h", y);
  return y;
}

// Predicts a class for each vertex.
Model tree_lstm(const ModelConfig& config) {
  Model m({.seed = config.seed});
  m.vertex_function("tree_lstm", [&](Vertex& v) { predict_class(m, v, config, child_sum_lstm(m, config, v)); });
  return m;
}

}  // namespace cavs::inline v0_1
