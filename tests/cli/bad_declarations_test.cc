// Mistakes in declarations, run by bad_input_test.cc.
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

/// A mistake in vertex function 'cell' of a model.
BadInput declaration(const std::string& what, const std::string& says, const std::string& shown,
                     const std::function<void(Model& m, Vertex& v)>& declare) {
  return {what, says, shown, kUserError, [declare] {
            return message_of([&] {
              Model model;
              model.vertex_function("cell", [&](Vertex& v) { declare(model, v); });
            });
          }};
}

BadInput operator_of(const std::string& what, const std::string& says, const std::string& shown,
                     const OperatorDefinition& definition) {
  return {what, says, shown, kUserError, [definition] { return message_of([&] { Operator{definition}; }); }};
}

BadInput call(const std::string& what, const std::string& says, const std::string& shown,
              const std::function<void()>& mistake) {
  return {what, says, shown, kUserError, [mistake] { return message_of(mistake); }};
}

}  // namespace

Section bad_declarations() {
  const auto pull = [](Vertex& v, int width) { return v.pull("x", width); };
  return {
      "Declarations (C++)",
      {
          declaration("inner sizes differ",
                      "[matmul] inner sizes differ: x is [*, 3], W is [4, 5] (3 != 4), x is %0 = pull [3], in vertex "
                      "function 'cell', value '%2'",
                      "pull(\"x\", 3) * W, W is [4, 5]",
                      [=](Model& m, Vertex& v) {
                        const Value x = pull(v, 3);
                        x* m.parameter("W", {4, 5});
                      }),
          declaration("shapes that do not add up",
                      "[add] shapes differ: %0 = pull [3] and %1 = pull [4]; expected equal shapes, or a scalar, in "
                      "vertex function 'cell', value '%2'",
                      "pull(\"x\", 3) + pull(\"y\", 4)",
                      [=](Model&, Vertex& v) {
                        const Value x = pull(v, 3);  // operands may be evaluated in any order
                        x + v.pull("y", 4);
                      }),
          declaration("a slice that reaches too far",
                      "[slice] columns [2, 4) are outside of %0 = pull [3], in vertex function 'cell', value '%1'",
                      "slice(pull(\"x\", 3), 2, 2)", [=](Model&, Vertex& v) { slice(pull(v, 3), 2, 2); }),
          declaration("parts that are not equal",
                      "[part] %0 = pull [3] does not split into 2 equal parts, in vertex function 'cell', value '%1'",
                      "split<2>(pull(\"x\", 3))", [=](Model&, Vertex& v) { split<2>(pull(v, 3)); }),
          declaration("a shape of another size",
                      "[reshape] %0 = pull [3] has 3 numbers per row, the target [2, 2] has 4, in vertex function "
                      "'cell', value '%1'",
                      "reshape(pull(\"x\", 3), {2, 2})",
                      [=](Model&, Vertex& v) {
                        reshape(pull(v, 3), {2, 2});
                      }),
          declaration(
              "a probability above 1",
              "[dropout_mask] the probability must be in [0, 1), found 1.5, in vertex function 'cell', value '%1'",
              "dropout(pull(\"x\", 3), 1.5)", [=](Model&, Vertex& v) { dropout(pull(v, 3), 1.5); }),
          declaration("a loss that is no scalar",
                      "[loss] takes one scalar per vertex, found %0 = pull [3]; reduce it with sum_features, in vertex "
                      "function 'cell', value '%1'",
                      "loss(pull(\"x\", 3))", [=](Model&, Vertex& v) { v.loss(pull(v, 3)); }),
          declaration("input of edges without children()",
                      "[pull_edges] port 'bond' has one row per child, in vertex function 'cell', which does not read "
                      "its children by children(); children that are gathered by their slots have no row of their own: "
                      "read them with children(state, first)",
                      "gather(0, \"h\") and pull_edges(\"bond\", 3)",
                      [](Model&, Vertex& v) { v.scatter("h", v.gather(0, "h") + sum(v.pull_edges("bond", 3))); }),
          declaration("edges that begin in two slots",
                      "[children] begins at child slot 1 and at 0, in vertex function 'cell'; expected one first "
                      "slot for all, so that their rows are the same children's",
                      "children(\"h\", 1) and pull_edges(\"bond\", 3)",
                      [](Model&, Vertex& v) {
                        v.children("h", 1);
                        v.pull_edges("bond", 3);
                      }),
          declaration(
              "logits of edges with a label of the vertex",
              "[softmax_cross_entropy] takes one row per vertex, as the label has, found one row per child: %1 = "
              "pull_edges [3]; reduce it first with sum, mean or max, or pull a label of the edges, in vertex "
              "function 'cell', value '%3'",
              "softmax_cross_entropy(pull_edges(\"bond\", 3), pull_index(\"label\"))",
              [](Model&, Vertex& v) {
                v.children("h");
                const Value logits = v.pull_edges("bond", 3);
                softmax_cross_entropy(logits, v.pull_index("label"));
              }),
          declaration(
              "a loss of edges that is not summed",
              "[loss] takes one row per vertex, found one row per child: %1 = pull_edges [1]; reduce it first with "
              "sum, mean or max, in vertex function 'cell', value '%2'",
              "loss(pull_edges(\"bond\", 1))",
              [](Model&, Vertex& v) {
                v.children("h");
                v.loss(v.pull_edges("bond", 1));
              }),
          declaration("unknown operator", "unknown operator 'tahn'; did you mean 'tanh'? known: <...>",
                      "apply_op(\"tahn\", {x})", [=](Model&, Vertex& v) { apply_op("tahn", {pull(v, 3)}); }),
          declaration("wrong number of inputs", "[add] takes 2 inputs, found 1, in vertex function 'cell'",
                      "apply_op(\"add\", {x})", [=](Model&, Vertex& v) { apply_op("add", {pull(v, 3)}); }),
          declaration("two shapes of one state",
                      "[scatter] state 'h' is set twice, in vertex function 'cell'; a state has one value",
                      "scatter(\"h\", [3]) and scatter(\"h\", [4])",
                      [=](Model&, Vertex& v) {
                        v.scatter("h", pull(v, 3));
                        v.scatter("h", v.pull("y", 4));
                      }),
          declaration("two shapes of one parameter",
                      "[parameter] 'W' is declared as parameter [4, 5] and as parameter [4, 6]; use another name, or "
                      "the same shape to share it",
                      "parameter(\"W\", {4, 5}) and parameter(\"W\", {4, 6})",
                      [](Model& m, Vertex&) {
                        m.parameter("W", {4, 5});
                        m.parameter("W", {4, 6});
                      }),
          declaration("a size that is not positive",
                      "[parameter] 'W' has shape [0, 5]; every dimension must be at least 1",
                      "parameter(\"W\", {0, 5})",
                      [](Model& m, Vertex&) {
                        m.parameter("W", {0, 5});
                      }),
          declaration("a child before the first",
                      "[gather] child -1 is negative, in vertex function 'cell'; children count from 0",
                      "gather(-1, \"h\")", [](Model&, Vertex& v) { v.gather(-1, "h"); }),
          call("a state that nobody scatters",
               "[gather] the shape of state 'h' is not known, in vertex function 'cell'; no vertex function scatters "
               "it with a shape that does not depend on itself",
               "gather(0, \"h\")",
               [] {
                 Model m;
                 m.vertex_function("cell", [](Vertex& v) { v.push("y", tanh(v.gather(0, "h"))); });
                 compile(m);
               }),
          call(
              "a state of one number under another name",
              "[gather] the shape of state 'c' is not known, in vertex function 'cell'; no vertex function scatters it "
              "with a shape that does not depend on itself",
              "scatter(\"cz\", v.gather(0, \"c\") + 1)",
              [] {
                Model m;
                m.vertex_function("cell", [](Vertex& v) {
                  auto h = v.gather(0, "h");
                  auto c = v.gather(0, "c") + v.pull("x", 1) * h;
                  v.scatter("cz", c);
                  v.scatter("h", tanh(c));
                });
                compile(m);
              }),
          call("two functions of one type", "[vertex_function] type 'cell' already has a vertex function",
               "vertex_function(\"cell\", ...), twice",
               [=] {
                 Model m;
                 for (int i = 0; i < 2; ++i) m.vertex_function("cell", [=](Vertex& v) { v.push("y", pull(v, 2)); });
               }),
          call("a value of another function",
               "[add] input 1 does not belong to vertex function 'inner'; values live inside the function that "
               "declares them: pass them on with scatter and gather, or push and pull",
               "a Value kept from 'leaf', used in 'inner'",
               [=] {
                 Model m;
                 Value kept;
                 m.vertex_function("leaf", [&](Vertex& v) { v.scatter("h", kept = pull(v, 2)); });
                 m.vertex_function("inner", [&](Vertex& v) { v.scatter("h", v.gather(0, "h") + kept); });
               }),
          call("no function", "the model has no vertex function; declare one with vertex_function", "compile(Model())",
               [] { compile(Model()); }),
          call("a model of a newer version",
               "the model has version 99, but this program reads versions 1 to 2; use a newer cavs",
               R"(Model::from_json({"format":"cavs-model","version":99}))",
               [] { Model::from_json(R"({"format":"cavs-model","version":99})"); }),
          call("a model that is none", "the model is not a JSON object, but array; save it again with to_json()",
               "Model::from_json(\"[]\")", [] { Model::from_json("[]"); }),
          operator_of("an operator with a name of the library's",
                      "[operator] 'tanh' is an operator of the library; use another name",
                      "Operator({.name = \"tanh\", ...})",
                      {.name = "tanh", .expression = [](const auto& x) { return x[0]; }}),
          operator_of("an operator without an expression",
                      "[operator] 'swish' has no expression; expected a function of its inputs",
                      "Operator({.name = \"swish\"})", {.name = "swish", .expression = nullptr}),
          operator_of("an input that the operator does not have",
                      "[operator] the expression reads input 1 (counted from 0), and the operator has 1",
                      "x[1] of an operator with 1 input",
                      {.name = "swish", .expression = [](const auto& x) { return x[0] * sigmoid(x[1]); }}),
          operator_of("a gradient too many",
                      "[operator] 'shift' has 1 inputs, and its gradient has 2 results; expected one for each input",
                      "gradient: {dy, dy} of 1 input",
                      {.name = "shift",
                       .expression = [](const auto& x) { return x[0] + 1; },
                       .gradient =
                           [](const auto& g) {
                             return std::vector{g.dy, g.dy};
                           }}),
          operator_of("a gradient that is none",
                      "[operator] 'power': the gradient of input 0 is not linear in dy (dy 1 gives 1.45499, dy 2 gives "
                      "1.45499); expected dy times a function of x and y",
                      "gradient: {y}",
                      {.name = "power",
                       .expression = [](const auto& x) { return exp(x[0]); },
                       .gradient = [](const auto& g) { return std::vector{g.y}; }}),
          call("two operators of one name",
               "[operator] two different operators of the model are named 'swish', the second in vertex function "
               "'inner'; use another name",
               "swish = x * sigmoid(x), and another swish, in one model",
               [=] {
                 Model m;
                 for (const double factor : {1, 2}) {
                   const Operator swish(
                       {.name = "swish", .expression = [=](const auto& x) { return x[0] * sigmoid(factor * x[0]); }});
                   m.vertex_function(factor == 1 ? "leaf" : "inner",
                                     [&](Vertex& v) { v.scatter("h", swish(v.pull("x", 2))); });
                 }
               }),
          call("a state of a width that grows",
               "[scatter] the shape of state 'h' depends on itself, in vertex function 'cell': gathered as [2] it is "
               "[4]; expected a shape that follows from parameters or pulls",
               "h = gather(0, \"h\") + pull(\"x\", 1); scatter(\"h\", concat({h, h}))",
               [=] {
                 Model m;
                 m.vertex_function("cell", [=](Vertex& v) {
                   auto h = v.gather(0, "h") + pull(v, 1);
                   v.scatter("h", concat({h, h}));
                 });
                 compile(m);
               }),
          call("a metric that the model cannot give",
               "metric 'accuracy' cannot be computed: the model pushes no 'logits' to compare; known: y",
               "evaluate(model, ..., Metric::kAccuracy), which pushes 'y'",
               [=] {
                 Model m;
                 m.vertex_function("cell", [=](Vertex& v) { v.push("y", pull(v, 2)); });
                 evaluate(m, m.make_parameters(), GraphSet(), {}, 1, Metric::kAccuracy);
               }),
          call("unknown optimiser", "unknown optimizer 'adm'; did you mean 'adam'? known: adagrad, adam, adamw, sgd",
               "optimizer_defaults(\"adm\")", [] { optimizer_defaults("adm"); }),
      }};
}

}  // namespace cavs::testing
