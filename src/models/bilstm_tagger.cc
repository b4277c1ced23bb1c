#include "models/tagger_parts.h"

namespace cavs::inline v0_1 {

// Bidirectional LSTM tagger of two layers (Huang et al., 2015, without the CRF; ED-Batch's BiLSTM-Tagger): the second
// layer reads both directions of the first, and an MLP with tanh reads both directions of the second.
Model bilstm_tagger(const ModelConfig& config) {
  Model m({.seed = config.seed});
  const int d = config.embedding, h = config.hidden;
  auto E = m.lookup("embedding", {config.vocabulary, d});
  add_bilstm(m, {{"forward1", "backward1"}, "token", d, {h, h}}, [&](Vertex& v) { return E(v.pull_index("word")); });
  add_bilstm(m, {{"forward2", "backward2"}, "token", 2 * h, {h, h}}, [&](Vertex& v) { return pull_both(v, h); });
  for (const std::string name : {"forward2", "backward2"}) connect_both(m, "1", name);
  add_tagger(m, config, "2");
  return m;
}

}  // namespace cavs::inline v0_1
