#include "models/classes.h"

namespace cavs::inline v0_1 {

// Binary Tree-LSTM (Tai et al., ACL 2015, equations 9-14, N = 2): every child has its own weights. Leaves read the
// word, and inner vertices gather from two children.
Model tree_lstm_binary(const ModelConfig& config) {
  Model m({.seed = config.seed});
  const int d = config.embedding, h = config.hidden;
  auto E = m.lookup("embedding", {config.vocabulary, d});
  auto W = m.parameter("W", {d, 3 * h}), bw = m.parameter("bw", {3 * h}, zeros());
  auto Ul = m.parameter("Ul", {h, 3 * h}), Ur = m.parameter("Ur", {h, 3 * h}), b = m.parameter("b", {3 * h}, zeros());
  auto Fl = m.parameter("Fl", {h, h}), Fr = m.parameter("Fr", {h, h});
  auto bl = m.parameter("bl", {h}, zeros()), br = m.parameter("br", {h}, zeros());

  auto finish = [&](Vertex& v, Value c, Value o) {
    auto y = sigmoid(o) * tanh(c);
    v.scatter("c", c);
    v.scatter("h", y);
    predict_class(m, v, config, y);
  };
  m.vertex_function("leaf", [&](Vertex& v) {
    auto [i, o, u] = split<3>(E(v.pull_index("word")) * W + bw);
    finish(v, sigmoid(i) * tanh(u), o);
  });
  m.vertex_function("inner", [&](Vertex& v) {
    auto l = v.gather(0, "h"), r = v.gather(1, "h");
    auto [i, o, u] = split<3>(l * Ul + r * Ur + b);
    auto c = sigmoid(i) * tanh(u) + sigmoid(l * Fl + bl) * v.gather(0, "c") + sigmoid(r * Fr + br) * v.gather(1, "c");
    finish(v, c, o);
  });
  return m;
}

}  // namespace cavs::inline v0_1
