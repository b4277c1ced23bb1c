#include "models/cells.h"
#include "models/lattice_parts.h"

namespace cavs {

// The lattice of lattice_lstm with a GRU step on every arc (LatticeGRU of ED-Batch, section 5.1).
Model lattice_gru(const ModelSizes& s) {
  Model m({.seed = s.seed});
  const int d = s.embedding, h = s.hidden;
  auto E = m.lookup("embedding", {s.vocabulary, d});
  for (const std::string type : {"character", "word"}) {
    auto W = m.parameter(type + "_W", {d, 2 * h}), U = m.parameter(type + "_U", {h, 2 * h});
    auto V = m.parameter(type + "_V", {d, h}), C = m.parameter(type + "_C", {h, h});
    auto b = m.parameter(type + "_b", {2 * h}, zeros()), c = m.parameter(type + "_c", {h}, zeros());
    m.vertex_function(type, [&](Vertex& v) {
      auto x = E(v.pull_index("word"));
      v.scatter("h", gru_step(x * W + b, x * V + c, v.gather(0, "h"), U, C));
    });
  }
  declare_position(m, s, false);
  return m;
}

}  // namespace cavs
