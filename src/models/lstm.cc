#include "cavs/layers.h"
#include "models/classes.h"

namespace cavs::inline v0_1 {

// LSTM language model (the first workloads of Cavs, section 5: Fixed-LSTM and Var-LSTM, which differ only in their
// chains): a vertex reads a word and predicts the next one.
Model lstm(const ModelConfig& config) {
  Model m({.seed = config.seed});
  auto E = m.lookup("embedding", {config.vocabulary, config.embedding});
  const LstmCell cell(m, "", config.embedding, config.hidden);
  m.vertex_function("token", [&](Vertex& v) { predict_class(m, v, config, cell.step(v, E(v.pull_index("word")))); });
  return m;
}

}  // namespace cavs::inline v0_1
