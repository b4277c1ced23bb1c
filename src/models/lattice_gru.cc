#include "cavs/layers.h"
#include "models/lattice_parts.h"

namespace cavs::inline v0_1 {

// Like lattice_lstm, with a GRU step instead of the LSTM step on every arc (LatticeGRU of ED-Batch, section 5.1).
Model lattice_gru(const ModelConfig& config) {
  Model m({.seed = config.seed});
  auto E = m.lookup("embedding", {config.vocabulary, config.embedding});
  for (const std::string type : {"character", "word"}) {
    const GruCell cell(m, type, config.embedding, config.hidden);
    m.vertex_function(type, [&](Vertex& v) { cell.step(v, E(v.pull_index("word"))); });
  }
  declare_position(m, config, false);
  return m;
}

}  // namespace cavs::inline v0_1
