#include "models/tagger_parts.h"

#include "cavs/layers.h"
#include "models/classes.h"

namespace cavs {

void add_lstm(Model& m, const ChainLstm& chain, const std::function<Value(Vertex&)>& input) {
  const LstmCell cell(m, chain.name, chain.inputs, chain.hidden);
  const auto step = [&](Vertex& v) { v.push("h", cell.step(v, input(v), chain.name + "_")); };
  m.vertex_function(chain.name, step, {.over = {chain.over}, .reverse = chain.reverse});
}

void add_spelled_bilstm(Model& m, const ModelSizes& s) {
  constexpr int kBytes = 256, kCharacter = 32;
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
}

Value read_both(Model& m, Vertex& v, const ModelSizes& s) {
  const int h = s.hidden;
  auto Wf = m.parameter("Wf", {h, h}), Wb = m.parameter("Wb", {h, h}), b = m.parameter("b", {h}, zeros());
  return tanh(v.pull("forward", h) * Wf + v.pull("backward", h) * Wb + b);
}

void add_over_bilstm(Model& m, const std::string& name, const std::function<void(Vertex&)>& declare) {
  m.vertex_function(name, declare, {.over = {"token"}});
  for (const std::string direction : {"forward", "backward"}) m.connect({direction, "h"}, {name, direction});
}

void add_tagger(Model& m, const ModelSizes& s) {
  add_over_bilstm(m, "tagger", [&](Vertex& v) { predict_class(m, v, s, read_both(m, v, s)); });
}

}  // namespace cavs
