#include "models/tree_parts.h"

namespace cavs {

// Recursive net over parse trees (VPPS, section IV-E) whose leaves have weights of their own, so that words and phrases
// live in spaces of their own (Irsoy and Cardie, NIPS 2014, section 3.1); a class for each vertex.
Model rvnn(const ModelSizes& s) {
  Model m({.seed = s.seed});
  const int d = s.embedding, h = s.hidden;
  auto E = m.lookup("embedding", {s.vocabulary, d});
  auto W = m.parameter("W", {d, h}), b = m.parameter("b", {h}, zeros());
  m.vertex_function("leaf", [&](Vertex& v) { v.scatter("h", tanh(E(v.pull_index("word")) * W + b)); });
  declare_rnn_inner(m, s);
  declare_mlp_output(m, s);
  return m;
}

}  // namespace cavs
