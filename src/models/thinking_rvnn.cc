#include "cavs/layers.h"
#include "models/tree_parts.h"

namespace cavs::inline v0_1 {

// Recursive net of adaptive depth: a chain of GRU steps with shared weights follows each inner vertex (after Graves,
// 2016, adaptive computation time). The graph builder "thinking-tree" adds the vertices of the steps; longer phrases
// get more steps.
Model thinking_rvnn(const ModelConfig& config) {
  Model m({.seed = config.seed});
  const int h = config.hidden;
  declare_rnn_leaf(m, config);
  declare_rnn_inner(m, config);
  auto U = m.parameter("step_U", {h, 2 * h}), C = m.parameter("step_C", {h, h});
  auto g = m.parameter("step_b", {2 * h}, zeros()), c = m.parameter("step_c", {h}, zeros());
  m.vertex_function("step", [&](Vertex& v) { v.scatter("h", gru_step(g, c, v.gather(0, "h"), U, C)); });
  declare_output(m, config);
  return m;
}

}  // namespace cavs::inline v0_1
