#include "models/cells.h"

namespace cavs {

// Encoder-decoder (Sutskever et al., NIPS 2014, one layer each side): the decoder's first vertex has the encoder's last
// as its child, reads the word before and predicts the next one (teacher forcing). As in ED-Batch's LSTM-NMT a word's
// embedding passes a layer with tanh.
Model lstm_nmt(const ModelSizes& s) {
  Model m({.seed = s.seed});
  const int d = s.embedding, h = s.hidden;
  auto E = m.lookup("embedding", {s.vocabulary, d});
  auto Wy = m.parameter("Wy", {h, s.classes}), by = m.parameter("by", {s.classes}, zeros());
  for (const std::string type : {"encoder", "decoder"}) {
    auto P = m.parameter(type + "_P", {d, d}), p = m.parameter(type + "_p", {d}, zeros());
    auto W = m.parameter(type + "_W", {d, 4 * h}), U = m.parameter(type + "_U", {h, 4 * h});
    auto b = m.parameter(type + "_b", {4 * h}, zeros());
    m.vertex_function(type, [&](Vertex& v) {
      auto x = tanh(E(v.pull_index("word")) * P + p);
      auto [c, y] = lstm_step(x * W + v.gather(0, "h") * U + b, v.gather(0, "c"));
      v.scatter("c", c), v.scatter("h", y);
      if (type == "encoder") return;
      auto logits = dropout(y, s.dropout) * Wy + by;
      v.push("logits", logits);
      v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
    });
  }
  return m;
}

}  // namespace cavs
