#include "cavs/layers.h"
#include "models/classes.h"

namespace cavs {

// LSTM language model (the first workloads of Cavs, section 5: Fixed-LSTM and Var-LSTM, which differ in their chains
// alone): a vertex reads a word and predicts the next one.
Model lstm(const ModelSizes& s) {
  Model m({.seed = s.seed});
  auto E = m.lookup("embedding", {s.vocabulary, s.embedding});
  const LstmCell cell(m, "", s.embedding, s.hidden);
  m.vertex_function("token", [&](Vertex& v) { predict_class(m, v, s, cell.step(v, E(v.pull_index("word")))); });
  return m;
}

}  // namespace cavs
