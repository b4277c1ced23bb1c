#include "cavs/layers.h"
#include "models/classes.h"

namespace cavs {

// Bidirectional LSTM tagger (Huang et al., 2015, without the CRF; ED-Batch's BiLSTM-Tagger): two layers in each
// direction, an MLP with tanh for each token. The graph is that of the builder "bidirectional-chain".
Model bilstm_tagger(const ModelSizes& s) {
  Model m({.seed = s.seed});
  const int d = s.embedding, h = s.hidden;
  auto E = m.lookup("embedding", {s.vocabulary, d});
  const auto layer = [&](const std::string& type, int inputs, auto input) {
    const LstmCell cell(m, type, inputs, h);
    m.vertex_function(type, [&](Vertex& v) { cell.step(v, input(v)); });
  };
  const auto word = [&](Vertex& v) { return E(v.pull_index("word")); };
  const auto both = [&](Vertex& v) { return concat({v.gather(1, "h"), v.gather(2, "h")}); };
  layer("forward1", d, word), layer("backward1", d, word);
  layer("forward2", 2 * h, both), layer("backward2", 2 * h, both);

  auto Wf = m.parameter("Wf", {h, h}), Wb = m.parameter("Wb", {h, h}), b = m.parameter("b", {h}, zeros());
  m.vertex_function(
      "output", [&](Vertex& v) { predict_class(m, v, s, tanh(v.gather(0, "h") * Wf + v.gather(1, "h") * Wb + b)); });
  return m;
}

}  // namespace cavs
