#include "models/cells.h"

namespace cavs {

// Encoder-decoder (Sutskever et al., NIPS 2014, one layer each side): the decoder's first vertex has the encoder's last
// as its child, reads the word before and predicts the next one (teacher forcing); it weighs all states of the encoder
// by what it has said so far (Luong et al., EMNLP 2015, global attention, "general"). As in ED-Batch's LSTM-NMT, which
// has no attention, a word's embedding passes a layer with tanh.
Model lstm_nmt(const ModelSizes& s) {
  Model m({.seed = s.seed});
  const int d = s.embedding, h = s.hidden;
  auto E = m.lookup("embedding", {s.vocabulary, d});
  const auto step = [&](Vertex& v, const std::string& type) {
    auto P = m.parameter(type + "_P", {d, d}), p = m.parameter(type + "_p", {d}, zeros());
    auto W = m.parameter(type + "_W", {d, 4 * h}), U = m.parameter(type + "_U", {h, 4 * h});
    auto b = m.parameter(type + "_b", {4 * h}, zeros());
    auto x = dropout(tanh(E(v.pull_index("word")) * P + p), s.dropout);
    auto [c, y] = lstm_step(x * W + v.gather(0, "h") * U + b, v.gather(0, "c"));
    v.scatter("c", c), v.scatter("h", y);
    return y;
  };
  m.vertex_function("encoder", [&](Vertex& v) { v.push("memory", step(v, "encoder")); });
  m.vertex_function("decoder", [&](Vertex& v) {
    auto y = step(v, "decoder");
    if (!s.ed_batch) {
      auto memory = v.pull_all("memory", h);
      auto context = attention(y * m.parameter("Wa", {h, h}), memory, memory);
      y = tanh(context * m.parameter("Wc", {h, h}) + y * m.parameter("Uc", {h, h}));
    }
    auto logits = dropout(y, s.dropout) * m.parameter("Wy", {h, s.classes}) + m.parameter("by", {s.classes}, zeros());
    v.push("logits", logits);
    v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
  });
  if (!s.ed_batch) m.connect({"encoder", "memory"}, {"decoder", "memory"}, RowMap::all());
  return m;
}

}  // namespace cavs
