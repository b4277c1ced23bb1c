#include "models/tree_parts.h"

namespace cavs::inline v0_1 {

// Time-delay network (VPPS, section IV-E): neighbours are joined until one vertex is left, always by the same function,
// whose two products are those of a recurrent net; the last vertex gives the class. The graph is that of the builder
// "time-delay".
Model td_rnn(const ModelConfig& config) {
  Model m({.seed = config.seed});
  auto E = m.lookup("embedding", {config.vocabulary, config.hidden});
  m.vertex_function("leaf", [&](Vertex& v) { v.scatter("h", E(v.pull_index("word"))); });
  declare_rnn_inner(m, config);
  declare_mlp_output(m, config);
  return m;
}

}  // namespace cavs::inline v0_1
