#include "models/tagger_parts.h"

namespace cavs {

// Bidirectional LSTM tagger (Huang et al., 2015, without the CRF; VPPS's BiLSTM): an LSTM over the words in each
// direction, an MLP with tanh over both for each token.
Model bilstm(const ModelSizes& s) {
  Model m({.seed = s.seed});
  const int d = s.embedding, h = s.hidden;
  auto E = m.lookup("embedding", {s.vocabulary, d});
  add_bilstm(m, {{"forward", "backward"}, "token", d, {h, h}}, [&](Vertex& v) { return E(v.pull_index("word")); });
  add_tagger(m, s);
  return m;
}

}  // namespace cavs
