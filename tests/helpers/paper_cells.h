#pragma once

#include <string>
#include <vector>

#include "ir/builder.h"
#include "layout/layout.h"

namespace cavs {

/// A cell of ED-Batch's Table 2, with one product per gate, and the paper's figures for the cell.
struct PaperCell {
  std::string name;
  std::vector<Function> functions;
  std::vector<std::string> parameters;
  std::int64_t kernels = 0;  // number of kernels that copy memory, with the paper's PQ-tree layout
  double kilobytes = 0;
  double compile_ms = 0;  // Table 5: milliseconds

  MemoryLayout layout(const LayoutOptions& options = {}) const {
    std::vector<const Function*> pointers;
    for (const Function& f : functions) pointers.push_back(&f);
    return find_layout(pointers, {}, parameters, options);
  }
};

inline PaperCell paper_cell(const std::string& name, const Model& model) {
  PaperCell cell{.name = name, .functions = model.functions(), .parameters = {}};
  resolve_states(cell.functions, true);
  for (Function& f : cell.functions) f.forward = static_cast<std::int32_t>(f.nodes.size());
  for (const ParameterInfo& p : model.parameters()) cell.parameters.push_back(p.name);
  return cell;
}

/// Declares the products and sums of each gate separately, as gate-by-gate code of a user would.
class Gates {
 public:
  Gates(Model& model, int size) : model_(model), size_(size) {}
  Parameter matrix(const std::string& name) { return model_.parameter(name, {size_, size_}); }
  Parameter bias(const std::string& name) { return model_.parameter(name, {size_}); }
  /// Returns x * W + h * U + b, with parameters of this gate.
  Value operator()(const std::string& gate, const Value& x, const Value& h) {
    auto W = matrix("W" + gate), U = matrix("U" + gate);
    return x * W + h * U + bias("b" + gate);
  }
  Value operator()(const std::string& gate, const Value& x) { return x * matrix("W" + gate) + bias("b" + gate); }

 private:
  Model& model_;
  int size_;
};

inline PaperCell lstm_cell(int size) {
  Model m;
  Gates gate(m, size);
  m.vertex_function("lstm", [&](Vertex& v) {
    auto x = v.pull("x", size), h = v.gather(0, "h"), before = v.gather(0, "c");
    auto i = sigmoid(gate("i", x, h)), f = sigmoid(gate("f", x, h)), o = sigmoid(gate("o", x, h));
    auto c = i * tanh(gate("u", x, h)) + f * before;
    v.scatter("c", c);
    v.scatter("h", o * tanh(c));
  });
  return paper_cell("LSTMCell", m);
}

inline PaperCell gru_cell(int size) {
  Model m;
  Gates gate(m, size);
  m.vertex_function("gru", [&](Vertex& v) {
    auto x = v.pull("x", size), h = v.gather(0, "h");
    auto r = sigmoid(gate("r", x, h)), z = sigmoid(gate("z", x, h));
    auto c = tanh(gate("c", x, r * h));
    v.scatter("h", z * h + (1 - z) * c);
  });
  return paper_cell("GRUCell", m);
}

inline PaperCell tree_gru_internal(int size) {
  Model m;
  Gates gate(m, size);
  m.vertex_function("inner", [&](Vertex& v) {
    const auto step = [&](const std::string& side, const Value& h) {
      auto r = sigmoid(gate("r" + side, h)), z = sigmoid(gate("z" + side, h));
      return z * h + (1 - z) * tanh(gate("c" + side, r * h));
    };
    auto left = step("l", v.gather(0, "h")), right = step("r", v.gather(1, "h"));
    v.scatter("h", (left + right) * 0.5);
  });
  return paper_cell("TreeGRU-Internal", m);
}

inline PaperCell tree_gru_leaf(int size) {
  Model m;
  Gates gate(m, size);
  m.vertex_function("leaf", [&](Vertex& v) {
    auto x = v.pull("x", size);
    v.scatter("h", (1 - sigmoid(gate("z", x))) * tanh(gate("c", x)));
  });
  return paper_cell("TreeGRU-Leaf", m);
}

inline PaperCell tree_lstm_internal(int size) {
  Model m;
  Gates gate(m, size);
  m.vertex_function("inner", [&](Vertex& v) {
    auto l = v.gather(0, "h"), r = v.gather(1, "h");
    auto i = sigmoid(gate("i", l, r)), o = sigmoid(gate("o", l, r)), u = tanh(gate("u", l, r));
    auto bf = gate.bias("bf");
    auto fl = sigmoid(l * gate.matrix("Fl") + bf), fr = sigmoid(r * gate.matrix("Fr") + bf);
    auto c = i * u + fl * v.gather(0, "c") + fr * v.gather(1, "c");
    v.scatter("c", c);
    v.scatter("h", o * tanh(c));
  });
  return paper_cell("TreeLSTM-Internal", m);
}

inline PaperCell tree_lstm_leaf(int size) {
  Model m;
  Gates gate(m, size);
  m.vertex_function("leaf", [&](Vertex& v) {
    auto x = v.pull("x", size);
    auto c = sigmoid(gate("i", x)) * tanh(gate("u", x));
    v.scatter("c", c);
    v.scatter("h", sigmoid(gate("o", x)) * tanh(c));
  });
  return paper_cell("TreeLSTM-Leaf", m);
}

/// MV-RNN (Socher et al., 2012): v = tanh(W [A b; B a] + b), M = V [A; B] + B. Here its matrix products are separate
/// operators, since only their shapes matter.
inline PaperCell mv_cell(int size) {
  static const OpDef kMatrixVector{.name = "matrix_vector",
                                   .params = {"m", "v"},
                                   .infer = [](Inference& i) { i.set_shape(i.in(1).shape); },
                                   .doc = "A matrix a row times a vector a row."};
  static const OpDef kParameterMatrix{.name = "parameter_matrix",
                                      .params = {"w", "m"},
                                      .infer =
                                          [](Inference& i) {
                                            i.set_shape({i.in(0).shape.dims[0], i.in(1).shape.dims[1]});
                                          },
                                      .doc = "A parameter times a matrix a row."};
  Function f{.name = "mv", .nodes = {}, .forward = 0};
  const auto parameter = [&](const std::string& name, Shape shape) {
    return append(f, OpId::kParameter, {}, attr::Tensor{name, std::move(shape)});
  };
  const auto gather = [&](int child, const std::string& state, Shape shape) {
    const ValueId id = append(f, OpId::kGather, {}, attr::Children{.name = state, .slot = child});
    f.nodes[id].shape = std::move(shape);
    f.nodes[id].shape_known = true;
    return id;
  };
  const auto apply = [&](const auto& op, std::vector<ValueId> in) { return append(f, op, std::move(in)); };
  const ValueId a = gather(0, "v", {size}), A = gather(0, "m", {size, size});
  const ValueId b = gather(1, "v", {size}), B = gather(1, "m", {size, size});
  const ValueId Ba = apply(kMatrixVector, {B, a}), Ab = apply(kMatrixVector, {A, b});
  const ValueId sum = apply(OpId::kAdd, {apply(OpId::kMatmul, {Ab, parameter("Wl", {size, size})}),
                                         apply(OpId::kMatmul, {Ba, parameter("Wr", {size, size})})});
  const ValueId v = apply(OpId::kTanh, {apply(OpId::kAdd, {sum, parameter("b", {size})})});
  const ValueId products = apply(OpId::kAdd, {apply(kParameterMatrix, {parameter("Vl", {size, size}), A}),
                                              apply(kParameterMatrix, {parameter("Vr", {size, size}), B})});
  const ValueId m = apply(OpId::kAdd, {products, parameter("B", {size, size})});
  append(f, OpId::kScatter, {v}, attr::Named{"v"});
  append(f, OpId::kScatter, {m}, attr::Named{"m"});
  f.forward = static_cast<std::int32_t>(f.nodes.size());
  return {.name = "MVCell", .functions = {f}, .parameters = {"Wl", "Wr", "b", "Vl", "Vr", "B"}};
}

/// Returns the cells with the figures of Table 2 (kB at batch size 8) and Table 5.
inline std::vector<PaperCell> paper_cells(int size) {
  std::vector<PaperCell> cells{gru_cell(size),          lstm_cell(size),     mv_cell(size),
                               tree_gru_internal(size), tree_gru_leaf(size), tree_lstm_internal(size),
                               tree_lstm_leaf(size)};
  const struct {
    std::int64_t kernels;
    double kilobytes, compile_ms;
  } figures[]{{2, 14, 4.82}, {1, 16, 12.95}, {2, 260, 1.53}, {2, 16, 10.43},
              {2, 8, 2.91},  {3, 22, 29.89}, {1, 6, 3.64}};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].kernels = figures[i].kernels;
    cells[i].kilobytes = figures[i].kilobytes;
    cells[i].compile_ms = figures[i].compile_ms;
  }
  return cells;
}

}  // namespace cavs
