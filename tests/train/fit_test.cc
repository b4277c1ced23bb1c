#include "cavs/fit.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <type_traits>

#include "graphs/error_text.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

/// A sample of one vertex whose loss is about x squared.
GraphSet one_sample(float x) {
  GraphSet graphs({.types = {"f"}, .index_ports = {}, .float_ports = {{"x", 1}}});
  InputGraph graph;
  graph.types = {0}, graph.child_offsets = {0, 0};
  graph.float_pulls = {{x}}, graph.float_present = {{1}};
  graphs.add(graph);
  return graphs;
}

// Data that end with the line would be read after their end.
static_assert(!std::is_constructible_v<Trainer, const Model&, GraphSet, TrainOptions>);
static_assert(std::is_constructible_v<Trainer, const Model&, const GraphSet&, TrainOptions>);

TEST(Fit, ADevelopmentLossThatIsNotFiniteEndsTrainingAndSavesNothing) {
  Model model;
  const auto W = model.parameter("W", {1, 1}, Initializer::constant(1));
  model.vertex_function("f", [&](Vertex& v) { v.loss(sum_features(square(v.pull("x", 1) * W))); });
  const TemporaryFolder folder;
  const GraphSet train = one_sample(1);
  const auto error = [&](float x) {
    Trainer trainer(model, train, {.batch_size = 1});
    Checkpoint record;
    return error_of([&] { fit(trainer, model, one_sample(x), {.epochs = 1, .save = folder / "a"}, {}, record); });
  };
  EXPECT_THAT(error(1e30F), testing::HasSubstr("epoch 1: the loss on the development part is inf"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  EXPECT_EQ(error(2), "no UserError");
  EXPECT_TRUE(std::filesystem::exists(folder / "a"));
}

TEST(Fit, SavesAfterTheStepInWhichItIsAskedTo) {
  Model model;
  const auto W = model.parameter("W", {1, 1}, Initializer::constant(1));
  model.vertex_function("f", [&](Vertex& v) { v.loss(sum_features(square(v.pull("x", 1) * W))); });
  const TemporaryFolder folder;
  GraphSet train = one_sample(1);
  for (const float x : {2.0F, 3.0F, 4.0F}) {
    InputGraph graph;
    graph.types = {0}, graph.child_offsets = {0, 0};
    graph.float_pulls = {{x}}, graph.float_present = {{1}};
    train.add(graph);
  }
  Trainer trainer(model, train, {.batch_size = 1});
  Checkpoint record;
  std::vector<bool> there;
  int step = 0;
  const FitHooks hooks{.step = [&](const TrainStep&) { there.push_back(std::filesystem::exists(folder / "a")); },
                       .save = [&] { return ++step == 2; }};
  fit(trainer, model, GraphSet(train.schema()), {.epochs = 1, .save = folder / "a"}, hooks, record);
  EXPECT_EQ(there, (std::vector<bool>{false, false, true, true}));
}

}  // namespace
}  // namespace cavs
