#include "models/tagger_parts.h"

namespace cavs {

// Bidirectional LSTM tagger (Huang et al., 2015, without the CRF; VPPS's BiLSTM): an LSTM over the words in each
// direction, an MLP with tanh over both for each token.
Model bilstm(const ModelSizes& s) {
  Model m({.seed = s.seed});
  auto E = m.lookup("embedding", {s.vocabulary, s.embedding});
  const auto word = [&](Vertex& v) { return E(v.pull_index("word")); };
  for (const std::string name : {"forward", "backward"})
    add_lstm(m, {name, "token", name == "backward", s.embedding, s.hidden}, word);
  add_tagger(m, s);
  return m;
}

}  // namespace cavs
