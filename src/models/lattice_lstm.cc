#include "models/cells.h"
#include "models/lattice_parts.h"

namespace cavs {

// Lattice LSTM (Zhang and Yang, ACL 2018) in the simplified form that ED-Batch measures (section 5.1): an LSTM step on
// every arc, from the position where it begins, with weights of its own for arcs of characters and of words. The
// paper's gates between the arcs that end at a position, which sum to one, are equal here: a position is the mean of
// its arcs.
Model lattice_lstm(const ModelSizes& s) {
  Model m({.seed = s.seed});
  const int d = s.embedding, h = s.hidden;
  auto E = m.lookup("embedding", {s.vocabulary, d});
  for (const std::string type : {"character", "word"}) {
    auto W = m.parameter(type + "_W", {d, 4 * h}), U = m.parameter(type + "_U", {h, 4 * h});
    auto b = m.parameter(type + "_b", {4 * h}, zeros());
    m.vertex_function(type, [&](Vertex& v) {
      auto [c, y] = lstm_step(E(v.pull_index("word")) * W + v.gather(0, "h") * U + b, v.gather(0, "c"));
      v.scatter("c", c), v.scatter("h", y);
    });
  }
  declare_position(m, s, true);
  return m;
}

}  // namespace cavs
