#include <gmock/gmock.h>

#include <filesystem>
#include <limits>
#include <vector>

#include "cavs/evaluator.h"
#include "cavs/fit.h"
#include "graphs/error_text.h"
#include "support/temporary_folder.h"
#include "train/number_graphs.h"

namespace cavs {
namespace {

using testing::HasSubstr;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

using History = std::vector<double>;

TEST(BestEpoch, IsTheFirstOfSeveralEqualEpochs) {
  EXPECT_EQ(best_epoch(History{3, 1, 2, 1, 5}, true), (BestEpoch{2, 1, 3}));
  EXPECT_EQ(best_epoch(History{3, 1, 2, 1, 5}, false), (BestEpoch{5, 5, 0}));
  EXPECT_EQ(best_epoch(History{}, true), std::nullopt);
}

TEST(BestEpoch, OfEpochsWithoutAValueIsNone) {
  EXPECT_EQ(best_epoch(History{kUnknown, kUnknown}, true), std::nullopt);
  EXPECT_EQ(best_epoch(History{kUnknown, 2, kUnknown, 3}, true), (BestEpoch{2, 2, 1}));
}

/// The epochs (from 1) that complete a plateau.
std::vector<int> plateaus(const History& history, std::int64_t patience) {
  std::vector<int> epochs;
  for (std::size_t n = 1; n <= history.size(); ++n)
    if (ends_plateau(std::span(history).first(n), true, patience)) epochs.push_back(static_cast<int>(n));
  return epochs;
}

TEST(Plateau, EndsAfterPatienceEpochsWithoutImprovementThenRestarts) {
  EXPECT_EQ(plateaus({3, 3, 4, 5, 6, 2, 3, 3}, 2), (std::vector<int>{3, 5, 8}));
  EXPECT_EQ(plateaus({3, 3, 4, 5, 6, 2, 3, 3}, 1), (std::vector<int>{2, 3, 4, 5, 7, 8}));
  EXPECT_EQ(plateaus({5, 4, 3, 2, 1}, 1), std::vector<int>{});
}

TEST(Plateau, IgnoresEpochsWithoutAValue) {
  EXPECT_EQ(plateaus({3, kUnknown, 4, kUnknown, 5}, 2), std::vector<int>{5});
}

/// Trains W from 1 towards the mean of the training numbers, which is about 0. The loss is the squared distance from W.
class TrainedMean : public testing::Test {
 protected:
  TrainedMean() {
    const auto W = model.parameter("W", {1}, Initializer::constant(1));
    model.vertex_function("f", [&](Vertex& v) { v.loss(sum_features(square(v.pull("x", 1) - W))); });
  }

  /// The losses of each epoch on one development number.
  const History& train(float dev, FitOptions options, double lr = 0.1, LearningRateSchedule schedule = {}) {
    TrainOptions train{.batch_size = 1};
    train.optimizer.lr = lr;
    train.optimizer.schedule = schedule;
    Trainer trainer(model, data, train);
    rates.clear();
    best.clear();
    const FitHooks hooks{.epoch = [&](const EpochReport& report) {
      rates.push_back(report.learning_rate);
      best.push_back(report.best);
    }};
    EXPECT_TRUE(fit(trainer, number_graphs({dev}), options, hooks));
    last = trainer.checkpoint();
    return last.metrics["dev_loss"];
  }

  Model model;
  GraphSet data = number_graphs({0, 0.1F, -0.1F});
  Checkpoint last;
  std::vector<double> rates;
  std::vector<bool> best;
};

TEST_F(TrainedMean, StopsAfterPatienceEpochsWithoutImprovement) {
  // W falls from 1 to about 0, and passes 0.25 on the way.
  const History losses = train(0.25F, {.epochs = 20, .patience = 3});
  const auto least = best_epoch(losses, true);
  ASSERT_TRUE(least);
  EXPECT_GT(least->epoch, 1);
  EXPECT_LT(losses.size(), 20U);
  EXPECT_EQ(std::ssize(losses), least->epoch + 3);
  EXPECT_EQ(train(0, {.epochs = 5, .patience = 3}).size(), 5U) << "the loss improves in every epoch";
}

TEST_F(TrainedMean, KeepsTheBestEpoch) {
  const TemporaryFolder folder;
  const FitOptions options{.epochs = 8, .save = folder / "last", .save_best = folder / "best"};
  const History losses = train(0.25F, options);
  const auto least = best_epoch(losses, true);
  ASSERT_LT(least->epoch, 8);
  const Checkpoint kept = load_checkpoint(folder / "best"), last = load_checkpoint(folder / "last");
  EXPECT_EQ(kept.position.epoch, least->epoch);
  EXPECT_EQ(last.position.epoch, 8);
  EXPECT_EQ(std::ssize(kept.metrics.at("dev_loss")), least->epoch);
  EXPECT_NE(kept.parameters, last.parameters);
  for (std::size_t e = 0; e < best.size(); ++e) EXPECT_EQ(best[e], e < static_cast<std::size_t>(least->epoch));
}

TEST_F(TrainedMean, ReducesTheRateAfterEachPlateauButNotBelowTheFloor) {
  const History losses =
      train(0.9F, {.epochs = 7}, 0.1,
            {.decay = LearningRateSchedule::Decay::kPlateau, .rate = 0.5, .patience = 2, .floor = 0.2});
  ASSERT_EQ(best_epoch(losses, true)->epoch, 1);
  const std::vector<double> factors{1, 1, 1, 0.5, 0.5, 0.25, 0.25};
  for (std::size_t e = 0; e < factors.size(); ++e) EXPECT_DOUBLE_EQ(rates[e], 0.1 * factors[e]) << e;
  EXPECT_EQ(last.optimizer->rate_factor, 0.2);
}

TEST_F(TrainedMean, RefusesAMissingMetricBeforeTheFirstStep) {
  Trainer trainer(model, data, {});
  const auto error = [&](const GraphSet& dev, const FitOptions& options) {
    std::string text = error_of([&] { fit(trainer, dev, options); });
    EXPECT_EQ(trainer.position().step, 0);
    return text;
  };
  const GraphSet none(data.schema());
  EXPECT_THAT(error(none, {.patience = 2}), HasSubstr("need development data, but there are none"));
  EXPECT_THAT(error(none, {.save_best = "best"}), HasSubstr("give a development part"));
  EXPECT_THAT(error(data, {.patience = -1}), HasSubstr("the patience is -1 epochs; expected 0"));
  EXPECT_THAT(error(data, {.best_by = "accuracy", .patience = 2}),
              HasSubstr("cannot be compared by 'accuracy', which is not computed for this model; known: loss"));
}

TEST(FitWithLabels, RefusesDevelopmentDataWithoutLabelsBeforeTheFirstStep) {
  Model model;
  const auto b = model.parameter("b", {2});
  model.vertex_function("f", [&](Vertex& v) {
    const Value logits = v(b) + v.pull("x", 2);
    v.push("logits", logits);
    v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
  });
  const auto sample = [](std::int32_t label) {
    GraphSet graphs({.types = {"f"}, .index_ports = {"label"}, .float_ports = {{"x", 2}}});
    InputGraph graph;
    graph.types = {0};
    graph.child_offsets = {0, 0};
    graph.index_pulls = {{label}};
    graph.float_pulls = {{0, 1}};
    graph.float_present = {{1}};
    graphs.add(graph);
    return graphs;
  };
  const GraphSet data = sample(1);
  Trainer trainer(model, data, {});
  EXPECT_THAT(error_of([&] { fit(trainer, sample(-1), {.patience = 1}); }),
              HasSubstr("the development data have no labels"));
  EXPECT_EQ(trainer.position().step, 0);
  EXPECT_TRUE(fit(trainer, data, {.epochs = 1, .best_by = "accuracy", .patience = 1}));
}

}  // namespace
}  // namespace cavs
