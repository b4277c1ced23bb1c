#include "cavs/layers.h"
#include "models/classes.h"

namespace cavs::inline v0_1 {

// GRU language model (Cho et al., EMNLP 2014): a vertex reads a word and predicts the next one.
Model gru(const ModelConfig& config) {
  Model m({.seed = config.seed});
  auto E = m.lookup("embedding", {config.vocabulary, config.embedding});
  const GruCell cell(m, "", config.embedding, config.hidden);
  m.vertex_function("token", [&](Vertex& v) { predict_class(m, v, config, cell.step(v, E(v.pull_index("word")))); });
  return m;
}

}  // namespace cavs::inline v0_1
