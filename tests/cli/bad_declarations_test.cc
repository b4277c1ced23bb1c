// The declarations among the bad inputs of docs/bad-input.md.
#include <gtest/gtest.h>

#include "bad_input.h"
#include "cavs/error.h"
#include "cavs/evaluator.h"
#include "cavs/model.h"
#include "cavs/operator.h"
#include "cavs/optimizer.h"
#include "cavs/session.h"
#include "cavs/trainer.h"

namespace cavs::testing {
namespace {

Outcome message_of(const std::function<void()>& mistake) {
  try {
    mistake();
  } catch (const UserError& e) {
    return {kUserError, e.what()};
  }
  return {0, "nothing was thrown"};
}

/// A mistake inside the vertex function 'cell' of a model.
BadInput declaration(const std::string& what, const std::string& shown,
                     const std::function<void(Model& m, Vertex& v)>& declare) {
  return {what, shown, kUserError, [declare] {
            return message_of([&] {
              Model model;
              model.vertex_function("cell", [&](Vertex& v) { declare(model, v); });
            });
          }};
}

BadInput operator_of(const std::string& what, const std::string& shown, const OperatorDefinition& definition) {
  return {what, shown, kUserError, [definition] { return message_of([&] { Operator{definition}; }); }};
}

BadInput call(const std::string& what, const std::string& shown, const std::function<void()>& mistake) {
  return {what, shown, kUserError, [mistake] { return message_of(mistake); }};
}

}  // namespace

Section bad_declarations() {
  const auto pull = [](Vertex& v, int width) { return v.pull("x", width); };
  return {
      "Declarations (C++)",
      {
          declaration("inner sizes differ", "pull(\"x\", 3) * W, W is [4, 5]",
                      [=](Model& m, Vertex& v) {
                        const Value x = pull(v, 3);
                        x* m.parameter("W", {4, 5});
                      }),
          declaration("shapes that do not add up", "pull(\"x\", 3) + pull(\"y\", 4)",
                      [=](Model&, Vertex& v) {
                        const Value x = pull(v, 3);  // operands are evaluated in any order
                        x + v.pull("y", 4);
                      }),
          declaration("a slice that reaches too far", "slice(pull(\"x\", 3), 2, 2)",
                      [=](Model&, Vertex& v) { slice(pull(v, 3), 2, 2); }),
          declaration("parts that are not equal", "split<2>(pull(\"x\", 3))",
                      [=](Model&, Vertex& v) { split<2>(pull(v, 3)); }),
          declaration("a shape of another size", "reshape(pull(\"x\", 3), {2, 2})",
                      [=](Model&, Vertex& v) {
                        reshape(pull(v, 3), {2, 2});
                      }),
          declaration("a probability above 1", "dropout(pull(\"x\", 3), 1.5)",
                      [=](Model&, Vertex& v) { dropout(pull(v, 3), 1.5); }),
          declaration("a loss that is no scalar", "loss(pull(\"x\", 3))",
                      [=](Model&, Vertex& v) { v.loss(pull(v, 3)); }),
          declaration("input of edges without children()", "gather(0, \"h\") and pull_edges(\"bond\", 3)",
                      [](Model&, Vertex& v) { v.scatter("h", v.gather(0, "h") + sum(v.pull_edges("bond", 3))); }),
          declaration("edges that begin in two slots", "children(\"h\", 1) and pull_edges(\"bond\", 3)",
                      [](Model&, Vertex& v) {
                        v.children("h", 1);
                        v.pull_edges("bond", 3);
                      }),
          declaration("logits of edges with a label of the vertex",
                      "softmax_cross_entropy(pull_edges(\"bond\", 3), pull_index(\"label\"))",
                      [](Model&, Vertex& v) {
                        v.children("h");
                        const Value logits = v.pull_edges("bond", 3);
                        softmax_cross_entropy(logits, v.pull_index("label"));
                      }),
          declaration("a loss of edges that is not summed", "loss(pull_edges(\"bond\", 1))",
                      [](Model&, Vertex& v) {
                        v.children("h");
                        v.loss(v.pull_edges("bond", 1));
                      }),
          declaration("unknown operator", "apply_op(\"tahn\", {x})",
                      [=](Model&, Vertex& v) { apply_op("tahn", {pull(v, 3)}); }),
          declaration("wrong number of inputs", "apply_op(\"add\", {x})",
                      [=](Model&, Vertex& v) { apply_op("add", {pull(v, 3)}); }),
          declaration("two shapes of one state", "scatter(\"h\", [3]) and scatter(\"h\", [4])",
                      [=](Model&, Vertex& v) {
                        v.scatter("h", pull(v, 3));
                        v.scatter("h", v.pull("y", 4));
                      }),
          declaration("two shapes of one parameter", "parameter(\"W\", {4, 5}) and parameter(\"W\", {4, 6})",
                      [](Model& m, Vertex&) {
                        m.parameter("W", {4, 5});
                        m.parameter("W", {4, 6});
                      }),
          declaration("a size that is not positive", "parameter(\"W\", {0, 5})",
                      [](Model& m, Vertex&) {
                        m.parameter("W", {0, 5});
                      }),
          declaration("a child before the first", "gather(-1, \"h\")", [](Model&, Vertex& v) { v.gather(-1, "h"); }),
          call("a state that nobody scatters", "gather(0, \"h\")",
               [] {
                 Model m;
                 m.vertex_function("cell", [](Vertex& v) { v.push("y", tanh(v.gather(0, "h"))); });
                 compile(m);
               }),
          call("two functions of one type", "vertex_function(\"cell\", ...), twice",
               [=] {
                 Model m;
                 for (int i = 0; i < 2; ++i) m.vertex_function("cell", [=](Vertex& v) { v.push("y", pull(v, 2)); });
               }),
          call("a value of another function", "a Value kept from 'leaf', used in 'inner'",
               [=] {
                 Model m;
                 Value kept;
                 m.vertex_function("leaf", [&](Vertex& v) { v.scatter("h", kept = pull(v, 2)); });
                 m.vertex_function("inner", [&](Vertex& v) { v.scatter("h", v.gather(0, "h") + kept); });
               }),
          call("no function", "compile(Model())", [] { compile(Model()); }),
          call("a model of a newer version", R"(Model::from_json({"format":"cavs-model","version":99}))",
               [] { Model::from_json(R"({"format":"cavs-model","version":99})"); }),
          call("a model that is none", "Model::from_json(\"[]\")", [] { Model::from_json("[]"); }),
          operator_of("an operator with a name of the library's", "Operator({.name = \"tanh\", ...})",
                      {.name = "tanh", .expression = [](const auto& x) { return x[0]; }}),
          operator_of("an operator without an expression", "Operator({.name = \"swish\"})",
                      {.name = "swish", .expression = nullptr}),
          operator_of("an input that the operator does not have", "x[1] of an operator with 1 input",
                      {.name = "swish", .expression = [](const auto& x) { return x[0] * sigmoid(x[1]); }}),
          operator_of("a gradient too many", "gradient: {dy, dy} of 1 input",
                      {.name = "shift",
                       .expression = [](const auto& x) { return x[0] + 1; },
                       .gradient =
                           [](const auto& g) {
                             return std::vector{g.dy, g.dy};
                           }}),
          operator_of("a gradient that is none", "gradient: {y}",
                      {.name = "power",
                       .expression = [](const auto& x) { return exp(x[0]); },
                       .gradient = [](const auto& g) { return std::vector{g.y}; }}),
          call("two operators of one name", "swish = x * sigmoid(x), and another swish, in one model",
               [=] {
                 Model m;
                 for (const double factor : {1, 2}) {
                   const Operator swish(
                       {.name = "swish", .expression = [=](const auto& x) { return x[0] * sigmoid(factor * x[0]); }});
                   m.vertex_function(factor == 1 ? "leaf" : "inner",
                                     [&](Vertex& v) { v.scatter("h", swish(v.pull("x", 2))); });
                 }
               }),
          call("a state of a width that grows", "h = gather(0, \"h\") + pull(\"x\", 1); scatter(\"h\", concat({h, h}))",
               [=] {
                 Model m;
                 m.vertex_function("cell", [=](Vertex& v) {
                   auto h = v.gather(0, "h") + pull(v, 1);
                   v.scatter("h", concat({h, h}));
                 });
                 compile(m);
               }),
          call("a metric that the model cannot give", "evaluate(model, ..., Metric::kAccuracy), which pushes 'y'",
               [=] {
                 Model m;
                 m.vertex_function("cell", [=](Vertex& v) { v.push("y", pull(v, 2)); });
                 evaluate(m, m.make_parameters(), GraphSet(), {}, 1, Metric::kAccuracy);
               }),
          call("unknown optimiser", "optimizer_defaults(\"adm\")", [] { optimizer_defaults("adm"); }),
      }};
}

}  // namespace cavs::testing
