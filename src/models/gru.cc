#include "cavs/layers.h"
#include "models/classes.h"

namespace cavs {

// GRU language model (Cho et al., EMNLP 2014): a vertex reads a word and predicts the next one.
Model gru(const ModelSizes& s) {
  Model m({.seed = s.seed});
  auto E = m.lookup("embedding", {s.vocabulary, s.embedding});
  const GruCell cell(m, "", s.embedding, s.hidden);
  m.vertex_function("token", [&](Vertex& v) { predict_class(m, v, s, cell.step(v, E(v.pull_index("word")))); });
  return m;
}

}  // namespace cavs
