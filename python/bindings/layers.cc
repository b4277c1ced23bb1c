#include "cavs/layers.h"

#include <nanobind/stl/string.h>

#include "bindings.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

nb::tuple both(const std::pair<Value, Value>& pair, const ScopePtr& scope) {
  return nb::make_tuple(Symbol{pair.first, scope}, Symbol{pair.second, scope});
}

/// Calls f with the operands as Values, and returns its result, a pair, as two symbols.
template <typename F>
nb::tuple with_values_both(const char* what, const std::vector<nb::handle>& operands, F f) {
  const ScopePtr scope = scope_of(what, operands);
  std::vector<Value> in;
  for (nb::handle operand : operands) in.push_back(value_of(what, scope, operand));
  return both(f(in), scope);
}

/// Constructs a layer, which declares its parameters in the model.
template <typename Layer>
void construct(Layer* at, PyModel& model, const std::string& name, int inputs, int outputs) {
  new (at) Layer(model.model, name, inputs, outputs);
}

template <typename Cell>
void bind_step(nb::class_<Cell>& type, const char* doc) {
  type.def(
      "step",
      [](const Cell& cell, const VertexSymbol& v, nb::handle x, const std::string& states) {
        const Value in = value_of("step", v.scope, x);
        return Symbol{cell.step(v.scope->open("step"), in, states), v.scope};
      },
      "v"_a, "x"_a, "states"_a = "", nb::sig("def step(self, v: Vertex, x: Operand, states: str = \"\") -> Value"),
      doc);
}

void bind_feedforward(nb::module_& m) {
  nb::class_<Linear>(m, "Linear",
                     "Computes x W + b with the parameters NAME_W [inputs, outputs] and NAME_b.\n\n"
                     "Create a layer before or inside a vertex function; several functions may use it. Layers with the "
                     "same name share their parameters. The parameters of a layer named \"\" have no prefix.")
      .def("__init__", &construct<Linear>, "model"_a, "name"_a, "inputs"_a, "outputs"_a)
      .def(
          "__call__",
          [](const Linear& layer, nb::handle x) {
            return with_values("linear", {x}, [&](const auto& in) { return layer(in[0]); });
          },
          "x"_a, nb::sig("def __call__(self, x: Operand) -> Value"), "[inputs] -> [outputs]");
  nb::class_<TiedEmbedding>(m, "TiedEmbedding",
                            "Word vectors that are also the weight of the output scores (Press and Wolf, 2017): "
                            "parameter NAME_W [width, words].")
      .def("__init__", &construct<TiedEmbedding>, "model"_a, "name"_a, "words"_a, "width"_a)
      .def(
          "__call__",
          [](const TiedEmbedding& layer, const VertexSymbol& v, const IndexSymbol& word) {
            word.scope->open("tied_embedding");
            return Symbol{layer(v.scope->open("tied_embedding"), IndexValue(word.value)), v.scope};
          },
          "v"_a, "word"_a, "The vector [width] of a word; zeros where the word is absent.")
      .def(
          "scores",
          [](const TiedEmbedding& layer, nb::handle x) {
            return with_values("tied_embedding", {x}, [&](const auto& in) { return layer.scores(in[0]); });
          },
          "x"_a, nb::sig("def scores(self, x: Operand) -> Value"), "[width] -> [words]");
}

void bind_lstm(nb::module_& m) {
  m.def(
      "lstm_step",
      [](nb::handle gates, nb::handle c) {
        return with_values_both("lstm_step", {gates, c}, [](const auto& in) { return lstm_step(in[0], in[1]); });
      },
      "gates"_a, "c"_a, nb::sig("def lstm_step(gates: Operand, c: Operand) -> tuple[Value, Value]"),
      "One step of an LSTM; returns the new c and h.\n\n"
      "gates: [4 hidden], i, f, o and u before their sigmoids and tanh. c: [hidden], the old memory.");
  nb::class_<LstmCell> cell(m, "LstmCell",
                            "An LSTM: parameters NAME_W [inputs, 4 hidden], NAME_U [hidden, 4 hidden], NAME_b.");
  cell.def("__init__", &construct<LstmCell>, "model"_a, "name"_a, "inputs"_a, "hidden"_a)
      .def(
          "__call__",
          [](const LstmCell& layer, nb::handle x, nb::handle c, nb::handle h) {
            return with_values_both("lstm", {x, c, h}, [&](const auto& in) { return layer(in[0], in[1], in[2]); });
          },
          "x"_a, "c"_a, "h"_a, nb::sig("def __call__(self, x: Operand, c: Operand, h: Operand) -> tuple[Value, Value]"),
          "One step from the states c and h; returns the new c and h.");
  bind_step(cell,
            "One step along a chain: gathers the states of child 0, scatters the new states and returns the new h. The "
            "states are named `states` + \"c\" and `states` + \"h\".");
}

void bind_gru(nb::module_& m) {
  m.def(
      "gru_step",
      [](nb::handle gates, nb::handle candidate, nb::handle old, const Parameter& U, const Parameter& C) {
        return with_values("gru_step", {gates, candidate, old},
                           [&](const auto& in) { return gru_step(in[0], in[1], in[2], U, C); });
      },
      "gates"_a, "candidate"_a, "old"_a, "U"_a, "C"_a,
      nb::sig("def gru_step(gates: Operand, candidate: Operand, old: Operand, U: Parameter, C: Parameter) -> Value"),
      "One step of a GRU (Cho et al., 2014); returns the new h.\n\n"
      "gates: [2 hidden], the input's and biases' part of r and z, to which old @ U is added. candidate: [hidden], "
      "their part of the candidate state, to which the product with C is added.");
  nb::class_<GruCell> cell(m, "GruCell",
                           "A GRU: parameters NAME_W, _U and _b of the gates, _V, _C and _c of the "
                           "candidate.");
  cell.def("__init__", &construct<GruCell>, "model"_a, "name"_a, "inputs"_a, "hidden"_a)
      .def(
          "__call__",
          [](const GruCell& layer, nb::handle x, nb::handle h) {
            return with_values("gru", {x, h}, [&](const auto& in) { return layer(in[0], in[1]); });
          },
          "x"_a, "h"_a, nb::sig("def __call__(self, x: Operand, h: Operand) -> Value"), "One step; returns the new h.");
  bind_step(cell,
            "One step along a chain: gathers the state `states` + \"h\" of child 0, scatters the new state and returns "
            "it.");
}

}  // namespace

void bind_layers(nb::module_& m) {
  bind_feedforward(m);
  bind_lstm(m);
  bind_gru(m);
}

}  // namespace cavs::python
