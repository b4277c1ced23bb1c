#include "models/cells.h"

namespace cavs {

// Bidirectional LSTM tagger (Huang et al., 2015, without the CRF; ED-Batch's BiLSTM-Tagger): two layers in each
// direction, an MLP with tanh for each token. The graph is that of the builder "bidirectional-chain".
Model bilstm_tagger(const ModelSizes& s) {
  Model m({.seed = s.seed});
  const int d = s.embedding, h = s.hidden;
  auto E = m.lookup("embedding", {s.vocabulary, d});
  const auto layer = [&](const std::string& type, int inputs, auto input) {
    auto U = m.parameter(type + "_U", {h, 4 * h}), b = m.parameter(type + "_b", {4 * h}, zeros());
    std::vector<Parameter> W;
    W.reserve(inputs);
    for (int i = 0; i < inputs; ++i)
      W.push_back(m.parameter(type + "_W" + std::to_string(i), {inputs == 1 ? d : h, 4 * h}));
    m.vertex_function(type, [&](Vertex& v) {
      auto [c, y] = lstm_step(input(v, W) + v.gather(0, "h") * U + b, v.gather(0, "c"));
      v.scatter("c", c), v.scatter("h", y);
    });
  };
  const auto word = [&](Vertex& v, const auto& W) { return E(v.pull_index("word")) * W[0]; };
  const auto both = [&](Vertex& v, const auto& W) { return v.gather(1, "h") * W[0] + v.gather(2, "h") * W[1]; };
  layer("forward1", 1, word), layer("backward1", 1, word);
  layer("forward2", 2, both), layer("backward2", 2, both);

  auto Wf = m.parameter("Wf", {h, h}), Wb = m.parameter("Wb", {h, h}), b = m.parameter("b", {h}, zeros());
  auto Wy = m.parameter("Wy", {h, s.classes}), by = m.parameter("by", {s.classes}, zeros());
  m.vertex_function("output", [&](Vertex& v) {
    auto y = tanh(v.gather(0, "h") * Wf + v.gather(1, "h") * Wb + b);
    auto logits = dropout(y, s.dropout) * Wy + by;
    v.push("logits", logits);
    v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
  });
  return m;
}

}  // namespace cavs
