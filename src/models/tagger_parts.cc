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

void add_tagger(Model& m, const ModelSizes& s) {
  const int h = s.hidden;
  auto Wf = m.parameter("Wf", {h, h}), Wb = m.parameter("Wb", {h, h}), b = m.parameter("b", {h}, zeros());
  auto Wy = m.parameter("Wy", {h, s.classes}), by = m.parameter("by", {s.classes}, zeros());
  m.vertex_function("tagger",
                    [&](Vertex& v) {
                      auto y = tanh(v.pull("forward", h) * Wf + v.pull("backward", h) * Wb + b);
                      auto logits = dropout(y, s.dropout) * Wy + by;
                      v.push("logits", logits);
                      v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
                    },
                    {.over = {"token"}});
  for (const std::string direction : {"forward", "backward"}) m.connect({direction, "h"}, {"tagger", direction});
}

}  // namespace cavs
