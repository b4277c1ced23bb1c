#include "models/tagger_parts.h"

#include "models/cells.h"

namespace cavs {

void add_lstm(Model& m, const ChainLstm& chain, const std::function<Value(Vertex&)>& input) {
  const int h = chain.hidden;
  auto W = m.parameter(chain.name + "_W", {chain.inputs, 4 * h}), U = m.parameter(chain.name + "_U", {h, 4 * h});
  auto b = m.parameter(chain.name + "_b", {4 * h}, zeros());
  const std::string cell = chain.name + "_c", state = chain.name + "_h";  // a state has one width in a model
  m.vertex_function(chain.name,
                    [&](Vertex& v) {
                      auto [c, y] = lstm_step(input(v) * W + v.gather(0, state) * U + b, v.gather(0, cell));
                      v.scatter(cell, c), v.scatter(state, y), v.push("h", y);
                    },
                    {.over = {chain.over}, .reverse = chain.reverse});
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

Value tag_scores(Model& m, Vertex& v, const ModelSizes& s) {
  const int h = s.hidden;
  auto Wf = m.parameter("Wf", {h, h}), Wb = m.parameter("Wb", {h, h}), b = m.parameter("b", {h}, zeros());
  auto Wy = m.parameter("Wy", {h, s.classes}), by = m.parameter("by", {s.classes}, zeros());
  auto y = tanh(v.pull("forward", h) * Wf + v.pull("backward", h) * Wb + b);
  return dropout(y, s.dropout) * Wy + by;
}

void connect_bilstm(Model& m, const std::string& function) {
  for (const std::string direction : {"forward", "backward"}) m.connect({direction, "h"}, {function, direction});
}

void add_tagger(Model& m, const ModelSizes& s) {
  m.vertex_function("tagger",
                    [&](Vertex& v) {
                      auto logits = tag_scores(m, v, s);
                      v.push("logits", logits);
                      v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
                    },
                    {.over = {"token"}});
  connect_bilstm(m, "tagger");
}

}  // namespace cavs
