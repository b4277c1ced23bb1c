#include "cavs/layers.h"
#include "models/classes.h"

namespace cavs {

// Bidirectional LSTM tagger (Huang et al., 2015, without the CRF; ED-Batch's BiLSTM-Tagger): two layers in each
// direction, an MLP with tanh for each token. The graph is that of the builder "bidirectional-chain".
Model bilstm_tagger(const ModelSizes& s) {
  Model m({.seed = s.seed});
  const int d = s.embedding, h = s.hidden;
  auto E = m.lookup("embedding", {s.vocabulary, d});
  const auto layer = [&](const std::string& type, auto input) {
    auto U = m.parameter(type + "_U", {h, 4 * h}), b = m.parameter(type + "_b", {4 * h}, zeros());
    m.vertex_function(type, [&](Vertex& v) {
      auto x = input(v, type), before = v.gather(0, "h"), kept = v.gather(0, "c");
      auto [c, y] = lstm_step(x + before * U + b, kept);
      v.scatter("c", c), v.scatter("h", y);
    });
  };
  const auto word = [&](Vertex& v, const std::string& type) {
    return E(v.pull_index("word")) * m.parameter(type + "_W", {d, 4 * h});
  };
  const auto both = [&](Vertex& v, const std::string& type) {
    auto Wf = m.parameter(type + "_Wf", {h, 4 * h}), Wb = m.parameter(type + "_Wb", {h, 4 * h});
    return v.gather(1, "h") * Wf + v.gather(2, "h") * Wb;
  };
  layer("forward1", word), layer("backward1", word);
  layer("forward2", both), layer("backward2", both);

  auto Wf = m.parameter("Wf", {h, h}), Wb = m.parameter("Wb", {h, h}), b = m.parameter("b", {h}, zeros());
  m.vertex_function(
      "output", [&](Vertex& v) { predict_class(m, v, s, tanh(v.gather(0, "h") * Wf + v.gather(1, "h") * Wb + b)); });
  return m;
}

}  // namespace cavs
