#include "models/tagger_parts.h"

#include <algorithm>

#include "cavs/layers.h"
#include "models/classes.h"

namespace cavs::inline v0_1 {

void add_bilstm(Model& m, const BiLstm& layer, const std::function<Value(Vertex&)>& input) {
  for (const int i : {0, 1}) {
    const LstmCell cell(m, layer.names[i], layer.inputs, layer.hidden[i]);
    const auto step = [&](Vertex& v) { v.push("h", cell.step(v, input(v), layer.names[i] + "_")); };
    m.vertex_function(layer.names[i], step, {.over = {layer.over}, .reverse = i == 1});
  }
}

void add_spelled_bilstm(Model& m, const ModelConfig& config) {
  constexpr int kBytes = 256, kCharacter = 32;
  const int d = config.embedding, h = config.hidden, front = (d + 1) / 2, back = std::max(1, d / 2);
  auto E = m.lookup("embedding", {config.vocabulary, d}), C = m.lookup("characters", {kBytes, kCharacter});
  add_bilstm(m, {{"spell_forward", "spell_backward"}, "character", kCharacter, {front, back}},
             [&](Vertex& v) { return C(v.pull_index("character")); });
  add_bilstm(m, {{"forward", "backward"}, "token", d, {h, h}}, [&](Vertex& v) {
    return E(v.pull_index("word")) + (d == 1 ? v.pull("front", front) + v.pull("back", back)
                                             : concat({v.pull("front", front), v.pull("back", back)}));
  });
  for (const std::string name : {"forward", "backward"}) {
    m.connect({"spell_forward", "h"}, {name, "front"}, RowMap::given("last"));
    m.connect({"spell_backward", "h"}, {name, "back"}, RowMap::given("first"));
  }
}

void connect_both(Model& m, const std::string& layer, const std::string& reader) {
  for (const std::string from : {"forward", "backward"}) m.connect({from + layer, "h"}, {reader, from});
}

Value pull_both(Vertex& v, int h) { return concat({v.pull("forward", h), v.pull("backward", h)}); }

Value mlp(Model& m, Vertex& v, int h) { return tanh(Linear(m, "hidden", 2 * h, h)(pull_both(v, h))); }

void add_tagger(Model& m, const ModelConfig& config, const std::string& layer) {
  m.vertex_function("output", [&](Vertex& v) { predict_class(m, v, config, mlp(m, v, config.hidden)); },
                    {.over = {"token"}});
  connect_both(m, layer, "output");
}

}  // namespace cavs::inline v0_1
