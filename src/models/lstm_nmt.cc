#include "cavs/layers.h"
#include "models/classes.h"

namespace cavs::inline v0_1 {

// Encoder-decoder (Sutskever et al., NIPS 2014, one layer each side): the decoder's first vertex has the encoder's last
// vertex as child. A decoder vertex reads the previous word, predicts the next word (teacher forcing), and attends to
// all states of the encoder (Luong et al., EMNLP 2015, global attention, "general"). As in ED-Batch's LSTM-NMT, which
// has no attention, a layer with tanh follows the embedding of a word.
Model lstm_nmt(const ModelConfig& config) {
  Model m({.seed = config.seed});
  const int d = config.embedding, h = config.hidden;
  auto E = m.lookup("embedding", {config.vocabulary, d});
  const auto step = [&](Vertex& v, const std::string& type) {
    const Linear project(m, type + "_project", d, d);
    return LstmCell(m, type, d, h).step(v, dropout(tanh(project(E(v.pull_index("word")))), config.dropout));
  };
  m.vertex_function("encoder", [&](Vertex& v) { v.push("memory", step(v, "encoder")); });
  m.vertex_function("decoder", [&](Vertex& v) {
    auto y = step(v, "decoder");
    if (!config.ed_batch) {
      auto memory = v.pull_all("memory", h);
      auto Wa = m.parameter("Wa", {h, h}), Wc = m.parameter("Wc", {h, h}), Uc = m.parameter("Uc", {h, h});
      y = tanh(attention(y * Wa, memory, memory) * Wc + y * Uc);
    }
    predict_class(m, v, config, y);
  });
  if (!config.ed_batch) m.connect({"encoder", "memory"}, {"decoder", "memory"}, RowMap::all());
  return m;
}

}  // namespace cavs::inline v0_1
