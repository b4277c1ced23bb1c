#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cavs/model.h"
#include "helpers/edge_graphs.h"
#include "ir/builder.h"
#include "ir/op.h"

namespace cavs {

enum class InputRows : std::uint8_t { kParameter, kPresent, kVertex, kEdge };
inline const char* to_text(InputRows rows) {
  constexpr const char* kNames[] = {"parameter", "present", "vertex", "edge"};
  return kNames[static_cast<int>(rows)];
}

using Apply = std::function<Value(Vertex&, Model&, const std::vector<Value>&)>;

/// Describes the use of an operator in a vertex function for tests.
struct OpCase {
  std::vector<std::vector<Shape>> shapes = {{{4}}};  // shapes of the inputs, one list per variant
  bool positive = false;                             // the inputs must be positive
  bool edges_only = false;                           // the operator reduces over children
  bool vertices_only = false;                        // the operator accepts no edge rows
  Apply apply = nullptr;                             // nullptr applies the operator of that name to the inputs
};

inline OpCase unary() { return {}; }
inline OpCase binary() { return {.shapes = {{{4}, {4}}, {{4}, {}}, {{1}, {4}}, {{2, 3}, {2, 3}}}}; }
inline OpCase with_attributes(const std::string& op, const Attributes& attributes, std::vector<Shape> shapes = {{4}}) {
  return {.shapes = {std::move(shapes)},
          .apply = [=](Vertex&, Model&, const std::vector<Value>& in) { return apply_op(op, in, attributes); }};
}
inline OpCase source(const Apply& apply) { return {.shapes = {{}}, .apply = apply}; }

/// One entry for each public operator.
inline std::map<std::string, OpCase> op_cases() {
  std::map<std::string, OpCase> cases;
  for (const char* name :
       {"sigmoid",     "tanh",         "relu",          "exp",          "square",      "abs",     "gelu",
        "negate",      "sin",          "cos",           "floor",        "round",       "sign",    "softmax",
        "log_softmax", "sum_features", "mean_features", "max_features", "log_sum_exp", "hard_max"})
    cases[name] = {.shapes = {{{4}}, {{1}}}};
  for (const char* name : {"add", "subtract", "multiply", "max", "min", "greater", "equal", "keep"})
    cases[name] = binary();
  for (const char* name : {"log", "sqrt"}) cases[name] = {.positive = true};
  cases["pow"] = binary();
  cases["pow"].positive = true;
  cases["divide"] = binary();
  cases["divide"].positive = true;
  for (const char* name : {"sum_children", "mean_children", "max_children"})
    cases[name] = {.shapes = {{{4}}, {Shape{}}}, .edges_only = true};
  cases["softmax_children"] = cases["sum_children"];
  cases["softmax_children"].apply = [](Vertex&, Model&, const std::vector<Value>& in) {
    return softmax_children(in[0]) * in[0];  // the softmax alone sums to one
  };
  cases["add_scalar"] = with_attributes("add_scalar", attr::Number{0.75});
  cases["multiply_scalar"] = with_attributes("multiply_scalar", attr::Number{-1.5});
  cases["slice"] = with_attributes("slice", attr::Columns{.begin = 1, .count = 2});
  cases["part"] = with_attributes("part", attr::Part{.index = 1, .count = 2});
  cases["reshape"] = with_attributes("reshape", attr::Target{{3, 2}}, {{6}});
  cases["layer_norm"] = with_attributes("layer_norm", attr::Number{1e-5});
  cases["concat"] = {.shapes = {{{2}, {3}}, {Shape{}, {2}}, {{4}}}};
  cases["dot"] = {.shapes = {{{4}, {4}}}};
  cases["batch_matmul"] = {.shapes = {{{3, 2}, {2, 4}}, {{2}, {2, 3}}, {{3, 2}, {2}}}};
  for (const char* name : {"log_matmul", "max_matmul"}) cases[name] = {.shapes = {{{3}, {3, 4}}, {{1}, {1, 1}}}};
  cases["one_hot"] = source([](Vertex& v, Model& m, const auto&) {
    return multiply(one_hot(v.pull_index("word"), kWords), m.parameter("p", {kWords}));
  });
  const auto windowed = [&](const std::string& op, int stride, int padding, Size2d window, const Shape& image) {
    cases[op] = with_attributes(
        op,
        attr::Window{
            .kernel_height = window.height, .kernel_width = window.width, .stride = stride, .padding = padding},
        {image});
  };
  windowed("unfold", 2, 1, {3, 2}, {4, 5, 2});
  windowed("max_pool2d", 1, 0, {2, 3}, {4, 5, 2});
  windowed("average_pool2d", 2, 0, {2, 2}, {5, 4, 3});
  cases["diagonal"] = {.shapes = {{{3}}}};
  cases["mean_squared_error"] = {.shapes = {{{4}, {4}}}};
  cases["dropout"] = with_attributes("dropout", attr::Dropout{.probability = 0.4});
  cases["each_child"] = {.shapes = {{{4}}, {Shape{}}}};
  cases["matmul"].apply = [](Vertex&, Model& m, const std::vector<Value>& in) {
    return matmul(in[0], m.parameter("w", {4, 3}));
  };
  cases["matmul_transposed"].apply = [](Vertex& v, Model& m, const std::vector<Value>& in) {
    return apply_op("matmul_transposed", {in[0], v(m.parameter("w", {3, 4}))});
  };
  cases["softmax_cross_entropy"] = {.shapes = {{{kLabels}}},
                                    .apply = [](Vertex& v, Model&, const std::vector<Value>& in) {
                                      return softmax_cross_entropy(in[0], v.pull_index("label"));
                                    }};
  cases["softmax_cross_entropy"].vertices_only = true;
  cases["parameter"] = source([](Vertex& v, Model& m, const auto&) { return v(m.parameter("p", {4})); });
  cases["constant"] = source([](Vertex& v, Model&, const auto&) { return v.constant(0.5); });
  cases["lookup"] = source([](Vertex& v, Model& m, const auto&) {
    return m.lookup("table", {kWords, 4})(v.pull_index("word"));
  });
  cases["pull_index"] = source([](Vertex& v, Model& m, const auto&) {
    return m.lookup("table", {kWords, 4})(v.pull_index("word"));
  });
  cases["pull"] = source([](Vertex& v, Model& m, const auto&) {
    return multiply(v.pull("box", kBoxWidth), m.parameter("p", {kBoxWidth}));
  });
  cases["pull_edges"] = source([](Vertex& v, Model& m, const auto&) {
    return multiply(v.pull_edges("bond", kBondWidth), m.parameter("p", {kBondWidth}));
  });
  cases["pull_edge_index"] = source([](Vertex& v, Model& m, const auto&) {
    return m.lookup("table", {kRelations, 4})(v.pull_edge_index("relation"));
  });
  const auto state = [](Vertex& v, Model& m) {
    const Value x = m.lookup("table", {kWords, 4})(v.pull_index("word")) + m.parameter("p", {4});
    v.scatter("x", x + sum(v.children("x")) * 0.1);
  };
  cases["gather"] = source([=](Vertex& v, Model& m, const auto&) {
    state(v, m);
    return v.gather(1, "x") * v.gather(0, "x");
  });
  cases["children"] = source([=](Vertex& v, Model& m, const auto&) {
    state(v, m);
    return v.children("x");
  });
  cases["scatter"] = source([=](Vertex& v, Model& m, const auto&) {
    state(v, m);
    return sum(v.children("x"));
  });
  cases["push"].vertices_only = true;
  cases["push"].apply = [](Vertex& v, Model&, const std::vector<Value>& in) {
    v.push("y", in[0]);
    return in[0];
  };
  cases["loss"].vertices_only = true;
  cases["loss"].apply = [](Vertex& v, Model&, const std::vector<Value>& in) {
    v.loss(sum_features(in[0]));
    return in[0];
  };
  return cases;
}

/// A value of this shape and kind of rows, which depends on parameters.
inline Value make_input(Vertex& v, Model& m, int number, const Shape& shape, InputRows rows, bool positive) {
  const std::string n = std::to_string(number);
  const auto width = static_cast<std::int32_t>(shape.size());
  // With `positive`, initial values stay away from zero: 1 plus a little per input and word.
  const auto base = [&] {
    return m.parameter(
        "p" + n, shape,
        positive ? Initializer::constant(1.0F + 0.25F * static_cast<float>(number)) : Initializer::uniform(1));
  };
  const auto word = [&] {
    const Value row =
        m.lookup("t" + n, {kWords, width}, Initializer::uniform(positive ? 0.5F : 1))(v.pull_index("word"));
    return shape.dims.size() == 1 ? row : reshape(row, shape);
  };
  if (rows == InputRows::kParameter) return v(base());
  if (rows == InputRows::kPresent) return word();
  if (rows == InputRows::kVertex) return word() + base();
  v.scatter("s" + n, word() + base() + sum(v.children("s" + n)) * 0.1);
  return v.children("s" + n);
}

/// A model whose loss depends on all elements of an operator's result, and the name of the variant.
struct OpModel {
  std::string name;
  Model model;
};

inline Model op_model(const std::string& op, const OpCase& c, const std::vector<Shape>& shapes,
                      const std::vector<InputRows>& rows) {
  Model m;
  m.vertex_function("vertex", [&](Vertex& v) {
    std::vector<Value> in;
    for (std::size_t i = 0; i < shapes.size(); ++i)
      in.push_back(make_input(v, m, static_cast<int>(i), shapes[i], rows[i], c.positive));
    Value y = c.apply ? c.apply(v, m, in) : apply_op(op, in);
    const Domain domain = y.builder()->function().nodes[y.id()].domain;
    if (domain.kind == DomainKind::kEdge) y = sum(y);
    v.push("value", y);
    // scatters a state, so that any number of children is valid
    v.scatter("all", sum(v.children("all")) * 0.1 + m.parameter("all", {2}));
    v.loss(sum_features(exp(y * 0.5)));  // not linear, so that gradients do not vanish, for example that of a softmax
  });
  return m;
}

/// All variants of an operator: each combination of shapes and kinds of rows.
inline std::vector<OpModel> op_models(const std::string& op, const OpCase& c) {
  std::vector<OpModel> models;
  for (const auto& shapes : c.shapes) {
    int variants = 1;
    for (std::size_t i = 0; i < shapes.size(); ++i) variants *= 4;
    for (int k = 0; k < variants; ++k) {
      std::vector<InputRows> rows;
      std::string name = op;
      bool fits = true;
      for (int i = 0, rest = k; i < static_cast<int>(shapes.size()); ++i, rest /= 4) {
        rows.push_back(static_cast<InputRows>(rest % 4));
        name += std::string(" ") + to_text(rows.back()) + to_string(shapes[i]);
        fits = fits && (!c.edges_only || rows.back() == InputRows::kEdge) &&
               (!c.vertices_only || rows.back() != InputRows::kEdge) &&
               (!c.positive || rows.back() != InputRows::kPresent);  // absent rows are 0
      }
      if (fits) models.push_back({name, op_model(op, c, shapes, rows)});
    }
  }
  return models;
}

/// Few vertices that cover the difficult cases: no children, absent children, repeated children, absent words.
inline GraphSet op_graphs() {
  std::vector<InputGraph> graphs{graph_of({{}, {0, 0}, {-1, 1}, {2, 0, -1, 1}, {-1, -1}, {}, {3, 4, 5}}), chain(1)};
  for (int i = 0; i < 3; ++i)
    graphs.push_back(generate_dag({.vertices = 6, .min_arity = 0, .max_arity = 4, .absent = 0.2F}, 5, i));
  return with_edges(dressed_set(graphs));
}

}  // namespace cavs
