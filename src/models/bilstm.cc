#include "models/tagger_parts.h"

namespace cavs::inline v0_1 {

// Bidirectional LSTM tagger (Huang et al., 2015, without the CRF; VPPS's BiLSTM): an LSTM over the words in each
// direction, and for each token an MLP with tanh over both states.
Model bilstm(const ModelConfig& config) {
  Model m({.seed = config.seed});
  const int d = config.embedding, h = config.hidden;
  auto E = m.lookup("embedding", {config.vocabulary, d});
  add_bilstm(m, {{"forward", "backward"}, "token", d, {h, h}}, [&](Vertex& v) { return E(v.pull_index("word")); });
  add_tagger(m, config);
  return m;
}

}  // namespace cavs::inline v0_1
