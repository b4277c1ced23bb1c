// A softmax over many classes is computed in tiles if nothing else reads its logits.

#include <gmock/gmock.h>

#include <functional>

#include "compile/count_nodes.h"
#include "compile/program.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kWords = 9, kHidden = 4, kClasses = 600;

/// A vertex function with state h. `head` reads h.
Model with_head(const std::function<void(Model&, Vertex&, const Value& h)>& head) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    const Value x = m.lookup("E", {kWords, kHidden})(v.pull_index("word"));
    const Value h = tanh(x + v.gather(0, "h") * m.parameter("U", {kHidden, kHidden}));
    v.scatter("h", h);
    head(m, v, h);
  });
  return m;
}

Value logits_of(Model& m, const Value& h, int classes = kClasses) {
  return h * m.parameter("W", {kHidden, classes}) + m.parameter("b", {classes});
}

Model with_softmax() {
  return with_head([](Model& m, Vertex& v, const Value& h) {
    v.loss(softmax_cross_entropy(logits_of(m, h), v.pull_index("label")));
  });
}

/// Operators of the tiled softmax in the program, in order.
std::vector<std::string> tiled_ops(const Program& program) {
  std::vector<std::string> ops;
  for (const Node& node : program.types[0].function.nodes)
    if (node.op->kind == OpKind::kLinearLoss) ops.emplace_back(node.op->name);
  return ops;
}

/// An instruction that computes a tiled softmax, with its direction and stage.
struct Placed {
  bool backward;
  Stage stage;
  Instruction instruction;
};
std::vector<Placed> tiled_instructions(const Program& program) {
  std::vector<Placed> found;
  for (bool backward : {false, true})
    for (Stage stage : {Stage::kEager, Stage::kTask, Stage::kLazy})
      for (const Instruction& i : program.types[0].at(backward, stage))
        if (i.is<LinearCrossEntropy>()) found.push_back({backward, stage, i});
  return found;
}

TEST(TileSoftmax, ReplacesProductLossAndTheirGradients) {
  const auto program = compile(with_softmax());
  EXPECT_THAT(tiled_ops(*program), ElementsAre("linear_cross_entropy", "linear_cross_entropy_dx",
                                               "linear_cross_entropy_dw", "linear_cross_entropy_db"));
  EXPECT_EQ(count(*program, "softmax_cross_entropy"), 0);
  EXPECT_EQ(count(*program, "softmax_cross_entropy_grad"), 0);
  EXPECT_EQ(count(*program, "matmul"), 1) << "the product of the state";
  EXPECT_EQ(count(*program, "weight_gradient"), 1);
}

TEST(TileSoftmax, IsOneLazyInstructionOfTheForwardPassWithAndWithoutFusion) {
  for (const std::vector<std::string>& off : {std::vector<std::string>(), {"fuse"}}) {
    const auto tiled = tiled_instructions(*compile(with_softmax(), {.disabled_passes = off}));
    ASSERT_EQ(tiled.size(), 1U);
    EXPECT_FALSE(tiled[0].backward);
    EXPECT_EQ(tiled[0].stage, Stage::kLazy);
    EXPECT_EQ(tiled[0].instruction.out.size(), 4U);
  }
}

TEST(TileSoftmax, IsEagerIfItsInputIsEager) {
  const auto program = compile(with_head([](Model& m, Vertex& v, const Value&) {
    v.loss(softmax_cross_entropy(logits_of(m, v.pull("x", kHidden)), v.pull_index("label")));
  }));
  const auto tiled = tiled_instructions(*program);
  ASSERT_EQ(tiled.size(), 1U);
  EXPECT_EQ(tiled[0].stage, Stage::kEager);
  EXPECT_LT(tiled[0].instruction.as<LinearCrossEntropy>()->dx, 0) << "the gradient of the pull is not wanted";
  EXPECT_EQ(tiled[0].instruction.out.size(), 3U);
}

TEST(TileSoftmax, NeedsNoBias) {
  const auto program = compile(with_head([](Model& m, Vertex& v, const Value& h) {
    v.loss(softmax_cross_entropy(h * m.parameter("W", {kHidden, kClasses}), v.pull_index("label")));
  }));
  EXPECT_THAT(tiled_ops(*program),
              ElementsAre("linear_cross_entropy", "linear_cross_entropy_dx", "linear_cross_entropy_dw"));
}

TEST(TileSoftmax, HasOnlyTheLossInInference) {
  EXPECT_THAT(tiled_ops(*compile(with_softmax(), {.training = false})), ElementsAre("linear_cross_entropy"));
}

TEST(TileSoftmax, CanBeSwitchedOff) {
  const auto program = compile(with_softmax(), {.disabled_passes = {"tile_softmax"}});
  EXPECT_THAT(tiled_ops(*program), IsEmpty());
  EXPECT_EQ(count(*program, "softmax_cross_entropy"), 1);
}

TEST(TileSoftmax, IsNotUsedForPushedLogitsUnlessThePushIsUnwanted) {
  const Model m = with_head([](Model& model, Vertex& v, const Value& h) {
    const Value logits = logits_of(model, h);
    v.push("logits", logits);
    v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
  });
  EXPECT_THAT(tiled_ops(*compile(m)), IsEmpty());
  EXPECT_EQ(tiled_ops(*compile(m, {.pushes = std::vector<std::string>{}})).size(), 4U);
}

TEST(TileSoftmax, IsNotUsedIfLogitsHaveOtherReadersOrAreNoProductForAllVertices) {
  const struct {
    const char* name;
    void (*head)(Model& m, Vertex& v, const Value& h);
  } cases[]{
      {"few classes",
       [](Model& m, Vertex& v, const Value& h) {
         v.loss(softmax_cross_entropy(logits_of(m, h, 200), v.pull_index("label")));
       }},
      {"a product that is read without its bias",
       [](Model& m, Vertex& v, const Value& h) {
         const Value product = h * m.parameter("W", {kHidden, kClasses});
         v.push("largest", max_features(product));
         v.loss(softmax_cross_entropy(product + m.parameter("b", {kClasses}), v.pull_index("label")));
       }},
      {"a product and no parameter",
       [](Model& m, Vertex& v, const Value& h) {
         const Value other = v.pull("x", 3) * m.parameter("V", {3, kClasses});
         v.loss(softmax_cross_entropy(h * m.parameter("W", {kHidden, kClasses}) + other, v.pull_index("label")));
       }},
      {"no product",
       [](Model& m, Vertex& v, const Value& h) {
         v.loss(softmax_cross_entropy(tanh(logits_of(m, h)), v.pull_index("label")));
       }},
      {"a product that runs on present rows only",
       [](Model& m, Vertex& v, const Value&) {
         const Value x = m.lookup("F", {kWords, kHidden})(v.pull_index("word"));
         v.loss(softmax_cross_entropy(logits_of(m, x), v.pull_index("label")));
       }},
  };
  for (const auto& [name, head] : cases) EXPECT_THAT(tiled_ops(*compile(with_head(head))), IsEmpty()) << name;
}

TEST(TileSoftmax, IsNotUsedForALossWhoseGradientIsNotKnownBeforehand) {
  const Model scaled = with_head([](Model& m, Vertex& v, const Value& h) {
    v.loss(softmax_cross_entropy(logits_of(m, h), v.pull_index("label")) * 0.5);
  });
  EXPECT_THAT(tiled_ops(*compile(scaled)), IsEmpty());
  EXPECT_THAT(tiled_ops(*compile(scaled, {.training = false})), ElementsAre("linear_cross_entropy"));
  const Model pushed = with_head([](Model& m, Vertex& v, const Value& h) {
    const Value loss = softmax_cross_entropy(logits_of(m, h), v.pull_index("label"));
    v.loss(loss);
    v.push("loss", loss);
  });
  EXPECT_EQ(tiled_ops(*compile(pushed)).size(), 4U);
  EXPECT_THAT(tiled_ops(*compile(pushed, {.push_gradients = true})), IsEmpty());
}

TEST(TileSoftmax, KeepsSeveralLossesApart) {
  const auto program = compile(with_head([](Model& m, Vertex& v, const Value& h) {
    const IndexValue label = v.pull_index("label");
    v.loss(softmax_cross_entropy(logits_of(m, h), label));
    v.loss(softmax_cross_entropy(h * m.parameter("V", {kHidden, kClasses}), label));
  }));
  const auto tiled = tiled_instructions(*program);
  ASSERT_EQ(tiled.size(), 2U);
  EXPECT_EQ(tiled[0].instruction.out.size(), 4U);
  EXPECT_EQ(tiled[1].instruction.out.size(), 3U);
}

}  // namespace
}  // namespace cavs
