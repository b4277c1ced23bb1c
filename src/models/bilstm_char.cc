#include "models/tagger_parts.h"

namespace cavs {

// Bidirectional LSTM tagger that spells rare words (Lample et al., NAACL 2016, section 4.1; VPPS's BiLSTM w/ char): in
// the place of a word's embedding stand the ends of two LSTMs over its characters, one in each direction.
Model bilstm_char(const ModelSizes& s) {
  constexpr int kBytes = 256, kCharacter = 32;
  Model m({.seed = s.seed});
  const int d = s.embedding, front = (d + 1) / 2, back = d / 2;
  auto E = m.lookup("embedding", {s.vocabulary, d}), C = m.lookup("characters", {kBytes, kCharacter});
  const auto character = [&](Vertex& v) { return C(v.pull_index("character")); };
  add_lstm(m, {"spell_forward", "character", false, kCharacter, front}, character);
  add_lstm(m, {"spell_backward", "character", true, kCharacter, back}, character);

  const auto word = [&](Vertex& v) {
    return E(v.pull_index("word")) + concat({v.pull("front", front), v.pull("back", back)});
  };
  for (const std::string name : {"forward", "backward"}) {
    add_lstm(m, {name, "token", name == "backward", d, s.hidden}, word);
    m.connect({"spell_forward", "h"}, {name, "front"}, RowMap::given("last"));
    m.connect({"spell_backward", "h"}, {name, "back"}, RowMap::given("first"));
  }
  add_tagger(m, s);
  return m;
}

}  // namespace cavs
