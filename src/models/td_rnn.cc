#include "models/tree_parts.h"

namespace cavs {

// Time-delay network (VPPS, section IV-E): neighbours are joined until one vertex is left, always by the same function,
// whose two products are those of a recurrent net; the last vertex gives the class. The graph is that of the builder
// "time-delay".
Model td_rnn(const ModelSizes& s) {
  Model m({.seed = s.seed});
  auto E = m.lookup("embedding", {s.vocabulary, s.hidden});
  m.vertex_function("leaf", [&](Vertex& v) { v.scatter("h", E(v.pull_index("word"))); });
  declare_rnn_inner(m, s);
  declare_mlp_output(m, s);
  return m;
}

}  // namespace cavs
