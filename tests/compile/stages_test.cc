// Eager and lazy nodes of the child-sum Tree-LSTM (Cavs, figure 7).

#include "compile/stages.h"

#include <gmock/gmock.h>

#include <map>

#include "cavs/session.h"
#include "compile/program.h"

namespace cavs {
namespace {

std::shared_ptr<const Program> tree_lstm_program(const CompileOptions& options = {}) {
  Model m;
  const int d = 3, h = 4;
  auto E = m.lookup("E", {9, d});
  auto W = m.parameter("W", {d, 3 * h}), U = m.parameter("U", {h, 3 * h}), b = m.parameter("b", {3 * h});
  auto Wf = m.parameter("Wf", {d, h}), Uf = m.parameter("Uf", {h, h}), Wy = m.parameter("Wy", {h, 5});
  m.vertex_function("tree_lstm", [&](Vertex& v) {
    auto x = E(v.pull_index("word"));
    auto hs = v.children("h"), cs = v.children("c");
    auto [i, o, u] = split<3>((x * W).named("xW") + (sum(hs) * U).named("hU") + b);
    auto f = sigmoid((x * Wf).named("xWf") + (hs * Uf).named("hUf"));
    auto c = (sigmoid(i) * tanh(u) + sum(f * cs)).named("c");
    auto y = (sigmoid(o) * tanh(c)).named("h");
    v.scatter("c", c);
    v.scatter("h", y);
    auto logits = (y * Wy).named("logits");
    v.push("logits", logits);
    v.loss(softmax_cross_entropy(logits, v.pull_index("label")).named("loss"));
  });
  return compile(m, options);
}

/// Stages of the nodes of F or ∂F, by name, or by operator and attribute.
std::map<std::string, Stage> stages_by_name(const TypeProgram& type, bool backward) {
  std::map<std::string, Stage> stages;
  for (std::size_t id = 0; id < type.function.nodes.size(); ++id) {
    const Node& node = type.function.nodes[id];
    if ((static_cast<std::int32_t>(id) >= type.function.forward) != backward) continue;
    if (!node.name.empty()) stages[node.name] = type.stages[id];
    stages[std::string(node.op->name) + " " + node.attribute_name()] = type.stages[id];
  }
  return stages;
}

TEST(Stages, OfTheTreeLstmMatchThePaper) {
  const auto program = tree_lstm_program();
  auto forward = stages_by_name(program->types[0], false);
  EXPECT_EQ(forward["lookup E"], Stage::kEager);
  EXPECT_EQ(forward["xW"], Stage::kEager);
  EXPECT_EQ(forward["xWf"], Stage::kEager);
  for (const char* name : {"children h", "children c", "hU", "hUf", "c", "h", "scatter c", "scatter h"})
    EXPECT_EQ(forward[name], Stage::kTask) << name;
  for (const char* name : {"logits", "push logits", "loss", "loss "}) EXPECT_EQ(forward[name], Stage::kLazy) << name;
}

TEST(Stages, OfTheGradientSwapGatherAndScatter) {
  const auto program = tree_lstm_program();
  auto backward = stages_by_name(program->types[0], true);
  EXPECT_EQ(backward["loss_gradient "], Stage::kEager);
  EXPECT_EQ(backward["softmax_cross_entropy_grad "], Stage::kEager);
  EXPECT_EQ(backward["accumulate Wy"], Stage::kEager);  // needs only the loss
  EXPECT_EQ(backward["gather_gradient h"], Stage::kTask);
  EXPECT_EQ(backward["gather_gradient c"], Stage::kTask);
  EXPECT_EQ(backward["scatter_gradient h"], Stage::kTask);
  for (const char* name :
       {"accumulate W", "accumulate U", "accumulate b", "accumulate Wf", "accumulate Uf", "lookup_gradient E"})
    EXPECT_EQ(backward[name], Stage::kLazy) << name;
}

TEST(Stages, WithoutEagerStagesNodesThatNeedNoChildRunInTasks) {
  const auto program = tree_lstm_program({.disabled_passes = {"eager"}});
  auto forward = stages_by_name(program->types[0], false), backward = stages_by_name(program->types[0], true);
  for (const char* name : {"lookup E", "xW", "xWf", "hU", "scatter h"}) EXPECT_EQ(forward[name], Stage::kTask) << name;
  EXPECT_EQ(forward["logits"], Stage::kLazy);
  EXPECT_EQ(backward["softmax_cross_entropy_grad "], Stage::kTask);
  EXPECT_EQ(backward["accumulate Wy"], Stage::kLazy) << "sums rows of all tasks";
}

TEST(Stages, WithoutLazyStagesParameterGradientsAreSummedPerTask) {
  const auto program = tree_lstm_program({.disabled_passes = {"lazy", "share_lookups"}});
  auto forward = stages_by_name(program->types[0], false), backward = stages_by_name(program->types[0], true);
  EXPECT_EQ(forward["xW"], Stage::kEager);
  for (const char* name : {"hU", "logits", "loss"}) EXPECT_EQ(forward[name], Stage::kTask) << name;
  for (const char* name : {"accumulate W", "accumulate U", "accumulate b", "weight_gradient "})
    EXPECT_EQ(backward[name], Stage::kTask) << name;
  EXPECT_EQ(backward["lookup_gradient E"], Stage::kLazy) << "each task may have any of its rows";
}

TEST(Stages, WithoutStatesEverythingIsEager) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) { v.push("y", tanh(v.pull("x", 3) * m.parameter("W", {3, 3}))); });
  const auto program = compile(m);
  for (Stage stage : program->types[0].stages) EXPECT_EQ(to_string(stage), "eager");
}

}  // namespace
}  // namespace cavs
