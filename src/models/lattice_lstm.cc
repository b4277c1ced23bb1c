#include "cavs/layers.h"
#include "models/lattice_parts.h"

namespace cavs::inline v0_1 {

// Lattice LSTM (Zhang and Yang, ACL 2018) in the simplified form that ED-Batch measures (section 5.1): an LSTM step on
// every arc, from the position where the arc begins, with separate weights for arcs of characters and of words. In the
// paper, the arcs that end at a position are weighted by gates that sum to one; here, the position is the mean of its
// arcs.
Model lattice_lstm(const ModelConfig& config) {
  Model m({.seed = config.seed});
  auto E = m.lookup("embedding", {config.vocabulary, config.embedding});
  for (const std::string type : {"character", "word"}) {
    const LstmCell cell(m, type, config.embedding, config.hidden);
    m.vertex_function(type, [&](Vertex& v) { cell.step(v, E(v.pull_index("word"))); });
  }
  declare_position(m, config, true);
  return m;
}

}  // namespace cavs::inline v0_1
