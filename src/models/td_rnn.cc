#include "models/tree_parts.h"

namespace cavs::inline v0_1 {

// Time-delay network (VPPS, section IV-E): the same function joins neighbours until one vertex is left, which predicts
// the class. The function has the two products of a recurrent net. The builder "time-delay" makes the graph.
Model td_rnn(const ModelConfig& config) {
  Model m({.seed = config.seed});
  auto E = m.lookup("embedding", {config.vocabulary, config.hidden});
  m.vertex_function("leaf", [&](Vertex& v) { v.scatter("h", E(v.pull_index("word"))); });
  declare_rnn_inner(m, config);
  declare_mlp_output(m, config);
  return m;
}

}  // namespace cavs::inline v0_1
