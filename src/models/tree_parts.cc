#include "models/tree_parts.h"

#include "models/classes.h"

namespace cavs::inline v0_1 {
namespace {

void scatter_states(Vertex& v, const Value& c, const Value& o) {
  v.scatter("c", c);
  v.scatter("h", sigmoid(o) * tanh(c));
}

}  // namespace

void declare_tree_lstm_leaf(Model& m, const ModelConfig& config) {
  const int d = config.embedding, h = config.hidden;
  auto E = m.lookup("embedding", {config.vocabulary, d});
  auto W = m.parameter("W", {d, 3 * h}), b = m.parameter("b", {3 * h}, zeros());
  m.vertex_function("leaf", [&](Vertex& v) {
    auto [i, o, u] = split<3>(E(v.pull_index("word")) * W + b);
    scatter_states(v, sigmoid(i) * tanh(u), o);
  });
}

void declare_tree_lstm_inner(Model& m, const ModelConfig& config, const std::string& type) {
  const int h = config.hidden;
  auto Ul = m.parameter(type + "_Ul", {h, 3 * h}), Ur = m.parameter(type + "_Ur", {h, 3 * h});
  auto Fl = m.parameter(type + "_Fl", {h, h}), Fr = m.parameter(type + "_Fr", {h, h});
  auto b = m.parameter(type + "_b", {3 * h}, zeros()), bf = m.parameter(type + "_bf", {h}, zeros());
  m.vertex_function(type, [&](Vertex& v) {
    auto l = v.gather(0, "h"), r = v.gather(1, "h");
    auto [i, o, u] = split<3>(l * Ul + r * Ur + b);
    // The right child comes first, because this order of adding gradients determines their last bits. In one expression
    // with the left child, the order would be the C++ compiler's choice.
    auto c_right = sigmoid(r * Fr + bf) * v.gather(1, "c");
    auto c_left = sigmoid(l * Fl + bf) * v.gather(0, "c");
    scatter_states(v, sigmoid(i) * tanh(u) + (c_left + c_right), o);
  });
}

void declare_rnn_leaf(Model& m, const ModelConfig& config) {
  const int d = config.embedding, h = config.hidden;
  auto E = m.lookup("embedding", {config.vocabulary, d});
  auto W = m.parameter("W", {d, h}), b = m.parameter("b", {h}, zeros());
  m.vertex_function("leaf", [&](Vertex& v) { v.scatter("h", tanh(E(v.pull_index("word")) * W + b)); });
}

void declare_rnn_inner(Model& m, const ModelConfig& config) {
  const int h = config.hidden;
  auto L = m.parameter("L", {h, h}), R = m.parameter("R", {h, h}), b = m.parameter("inner_b", {h}, zeros());
  m.vertex_function("inner", [&](Vertex& v) { v.scatter("h", tanh(v.gather(0, "h") * L + v.gather(1, "h") * R + b)); });
}

void declare_output(Model& m, const ModelConfig& config) {
  m.vertex_function("output", [&](Vertex& v) { predict_class(m, v, config, v.gather(0, "h")); });
}

void declare_mlp_output(Model& m, const ModelConfig& config) {
  auto Wm = m.parameter("Wm", {config.hidden, config.hidden}), bm = m.parameter("bm", {config.hidden}, zeros());
  m.vertex_function("output", [&](Vertex& v) { predict_class(m, v, config, tanh(v.gather(0, "h") * Wm + bm)); });
}

}  // namespace cavs::inline v0_1
