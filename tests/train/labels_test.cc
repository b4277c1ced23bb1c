// Integers of the data that an operator uses as an index are checked before any evaluation, however the operator is
// compiled. From 256 classes on, a loss is computed in tiles.

#include <gmock/gmock.h>

#include "cavs/evaluator.h"
#include "cavs/readers.h"
#include "cavs/trainer.h"
#include "graphs/error_text.h"
#include "graphs/graph_set_editor.h"
#include "helpers/graphs.h"
#include "ir/op.h"

namespace cavs {
namespace {

using testing::HasSubstr;

constexpr std::int32_t kVocabulary = 9;

Model classifier(std::int32_t classes, bool bias) {
  Model m;
  auto E = m.lookup("E", {kVocabulary, 4});
  auto W = m.parameter("W", {4, classes}), b = m.parameter("b", {classes});
  m.vertex_function("token", [&](Vertex& v) {
    const Value h = tanh(E(v.pull_index("word")) + v.gather(0, "h"));
    v.scatter("h", h);
    const Value logits = bias ? h * W + b : h * W;
    v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
  });
  return m;
}

/// Chains as from a user's own code, mostly without labels. `label` and `word` are those of the last vertex. Both
/// bypass the checks of the set, so they may be values that add() refuses (-2).
GraphSet chains(std::int32_t label, std::int32_t word = 2) {
  GraphSet graphs(chain_schema());
  for (int sample = 0; sample < 3; ++sample) {
    InputGraph graph = to_chain(1, std::vector<std::int32_t>{1, 2, 3, 4});
    graph.index_pulls[1] = {-1, 0, -1, 1};
    graphs.add(graph);
  }
  detail::GraphSetEditor arrays(graphs);
  arrays.index_pulls(0).back() = word;
  arrays.index_pulls(1).back() = label;
  return graphs;
}

/// The errors of all functions that take a model and data.
std::vector<std::string> complaints(const Model& model, const GraphSet& graphs) {
  const auto train = [&](const std::vector<std::string>& disabled) {
    return error_of([&] {
      Trainer trainer(model, graphs, {.batch_size = 3, .disabled_passes = disabled});
      trainer.step();
    });
  };
  const auto run = [&](bool training, EngineKind engine) {
    return error_of([&] {
      const auto program = compile(model, {.training = training});
      const auto bound = bind_graphs(program, graphs);
      Session session(program, model.make_parameters(), {.engine = engine});
      session.forward(*bound, std::vector<std::int32_t>{0, 1, 2});
    });
  };
  return {train({}),
          train({"tile_softmax"}),
          train({"compact_unlabelled"}),
          run(true, EngineKind::kBatched),
          run(false, EngineKind::kBatched),
          run(false, EngineKind::kReference),
          error_of([&] { evaluate(model, model.make_parameters(), graphs); })};
}

class Labels : public testing::TestWithParam<std::tuple<std::int32_t, bool>> {};

TEST_P(Labels, OutOfRangeAreErrorsOfTheDeclaredOperator) {
  const auto [classes, bias] = GetParam();
  const Model model = classifier(classes, bias);
  for (const std::int32_t good : {-1, 0, classes - 1})
    EXPECT_THAT(complaints(model, chains(good)), testing::Each("no UserError")) << good;
  for (const std::int32_t bad : {classes, -2, classes + 100'000'000, -2'000'000'000})
    EXPECT_THAT(complaints(model, chains(bad)),
                testing::Each(HasSubstr(fmt::format("[softmax_cross_entropy] 'label' of vertex 3 of sample 2 is {}, "
                                                    "expected -1 (absent) to {}, in vertex function 'token'",
                                                    bad, classes - 1))));
}

INSTANTIATE_TEST_SUITE_P(Classes, Labels, testing::Combine(testing::Values(2, 255, 256, 300), testing::Bool()));

TEST(Words, OutOfRangeAreErrorsWhateverReadsTheTable) {
  for (const std::int32_t bad : {kVocabulary, -2})
    EXPECT_THAT(complaints(classifier(256, true), chains(0, bad)),
                testing::Each(HasSubstr(fmt::format("[lookup] 'word' of vertex 3 of sample 2 is {}", bad))));
}

TEST(Operators, NameTheBoundOfTheirIndex) {
  for (const OpDef* op : all_ops())
    for (std::size_t i = 0; i < op->params.size(); ++i) {
      if (op->params[i] != "label" && op->params[i] != "index") continue;
      ASSERT_TRUE(op->index.has_value()) << op->name;
      EXPECT_EQ(op->index->input, static_cast<int>(i)) << op->name;
      EXPECT_NE(op->index->limit, nullptr) << op->name;
    }
}

TEST(Evaluate, RefusesLabelsThatAreNoClassesForLogitsWithoutALoss) {
  Model m;
  auto E = m.lookup("E", {kVocabulary, 3});
  m.vertex_function("token", [&](Vertex& v) {
    const Value x = E(v.pull_index("word")) + v.gather(0, "x");
    v.scatter("x", x);
    v.push("logits", x);
  });
  const std::vector<std::string> tags{"O", "B-X", "I-X"};
  for (const Metric metric : {Metric::kAccuracy, Metric::kF1}) {
    const auto error = [&](std::int32_t label) {
      return error_of([&] { evaluate(m, m.make_parameters(), chains(label), {}, 64, metric, tags); });
    };
    EXPECT_EQ(error(2), "no UserError");
    EXPECT_THAT(error(3), HasSubstr("'label' of vertex 3 of sample 2 is 3; the model's 'logits' are 3 classes"));
  }
}

}  // namespace
}  // namespace cavs
