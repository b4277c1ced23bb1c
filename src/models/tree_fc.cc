#include "models/classes.h"

namespace cavs::inline v0_1 {

// Tree-FC (Looks et al., ICLR 2017, section 3.1): one fully connected layer over the two children of every inner vertex
// of a complete binary tree; the loss is at the root.
Model tree_fc(const ModelConfig& config) {
  Model m({.seed = config.seed});
  const int h = config.hidden;
  auto E = m.lookup("embedding", {config.vocabulary, h});
  auto Wl = m.parameter("Wl", {h, h}), Wr = m.parameter("Wr", {h, h}), b = m.parameter("b", {h}, zeros());

  m.vertex_function("leaf", [&](Vertex& v) { v.scatter("h", E(v.pull_index("word"))); });
  m.vertex_function("inner", [&](Vertex& v) {
    auto y = relu(v.gather(0, "h") * Wl + v.gather(1, "h") * Wr + b);
    v.scatter("h", y);
    predict_class(m, v, config, y);
  });
  return m;
}

}  // namespace cavs::inline v0_1
