#include "cavs/fit.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cavs/trained_model.h"
#include "graphs/error_text.h"
#include "support/temporary_folder.h"
#include "train/number_graphs.h"

namespace cavs {
namespace {

/// A model with the loss x^2 W^2, and its data.
struct SquareWork {
  Model model;
  GraphSet train = number_graphs({1, 2, 3}), dev = number_graphs({2}), none = number_graphs({});

  explicit SquareWork(float weight = 1) {
    const auto W = model.parameter("W", {1, 1}, Initializer::constant(weight));
    model.vertex_function("f", [&](Vertex& v) { v.loss(sum_features(square(v.pull("x", 1) * W))); });
  }
  Trainer trainer(double ema = 0) const { return {model, train, {.batch_size = 1, .ema = ema}}; }
};

TEST(Fit, ADevelopmentLossThatIsNotFiniteEndsTrainingAndSavesNothing) {
  const SquareWork work;
  const TemporaryFolder folder;
  const auto error = [&](float x) {
    Trainer trainer = work.trainer();
    return error_of([&] { fit(trainer, number_graphs({x}), {.epochs = 1, .save = folder / "a"}); });
  };
  EXPECT_THAT(error(1e30F), testing::HasSubstr("epoch 1: the loss on the development part is inf"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  EXPECT_EQ(error(2), "no UserError");
  EXPECT_TRUE(std::filesystem::exists(folder / "a"));
}

TEST(Fit, UnusablePathsAreFoundBeforeTheFirstStep) {
  const SquareWork work;
  const TemporaryFolder folder;
  const struct {
    std::string save, save_best, message;
  } cases[]{{folder / "no/a", "", "no/a: cannot save: there is no directory"},
            {"", folder / "no/a", "no/a: cannot save: there is no directory"},
            {folder / "a", folder / "./a", "both the latest checkpoint and the best one"}};
  for (const auto& [save, save_best, message] : cases) {
    Trainer trainer = work.trainer();
    const FitOptions options{.epochs = 1, .save = save, .save_best = save_best};
    EXPECT_THAT(error_of([&] { fit(trainer, work.dev, options); }), testing::HasSubstr(message));
    EXPECT_EQ(trainer.position().step, 0);
  }
}

TEST(Fit, ACheckpointWithOtherOptionsOrDataIsRestoredOnlyOnRequest) {
  const SquareWork work;
  Trainer trainer = work.trainer();
  trainer.step();
  const Checkpoint checkpoint = trainer.checkpoint();
  const GraphSet other_data = number_graphs({1, 2, 4});
  const struct {
    const GraphSet& data;
    TrainOptions options;
    std::string message;
  } cases[]{{work.train,
             {.batch_size = 2, .clip_norm = 1},
             "\n  batch_size: 1 in the checkpoint, 2 here\n  clip_norm: 0 "
             "in the checkpoint, 1 here"},
            {work.train, {.batch_size = 1, .shuffle = false}, "shuffle: True in the checkpoint, False here"},
            {other_data, {.batch_size = 1}, "content of the data: "}};
  for (const auto& [data, options, message] : cases) {
    Trainer other(work.model, data, options);
    EXPECT_THAT(error_of([&] { other.restore(checkpoint); }), testing::HasSubstr(message));
    EXPECT_EQ(other.position().step, 0);
    other.restore(checkpoint, false);
    EXPECT_EQ(other.position().step, 1);
  }
  Checkpoint depth = checkpoint;
  const auto at = depth.extra.at("trained_by").find("frontier");
  depth.extra.at("trained_by").replace(at, std::string("frontier").size(), "depth");
  work.trainer().restore(depth);  // another name of the same policy
  Trainer threaded(work.model, work.train, {.batch_size = 1, .session = {.threads = 2}});
  threaded.restore(checkpoint);
  EXPECT_EQ(threaded.step().loss, trainer.step().loss);
}

TEST(Fit, ContinuesTheMetricsOfTheRestoredCheckpoint) {
  const SquareWork work;
  const TemporaryFolder folder;
  const auto train = [&](int epochs, const std::string& from, const std::string& to) {
    Trainer trainer = work.trainer();
    if (!from.empty()) trainer.restore(load_checkpoint(from));
    fit(trainer, work.dev, {.epochs = epochs, .save = to});
    return trainer.record().metrics;
  };
  const auto whole = train(5, "", folder / "whole");
  train(3, "", folder / "part");
  EXPECT_EQ(train(5, folder / "part", folder / "rest"), whole);
  const auto bytes = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_EQ(bytes(folder / "rest"), bytes(folder / "whole"));

  Trainer fresh = work.trainer();
  fresh.record().metrics = load_checkpoint(folder / "part").metrics;
  EXPECT_THAT(error_of([&] { fit(fresh, work.dev, {.epochs = 1}); }),
              testing::HasSubstr("the trainer's record has the metrics of 3 epochs, but the trainer is in epoch 1"));
}

TEST(Fit, StepsBetweenFitsAreNotPartOfTheReportedEpoch) {
  const SquareWork work;
  Trainer trainer = work.trainer();
  const FitHooks stops{.stop = [] { return true; }};
  EXPECT_FALSE(fit(trainer, work.dev, {.epochs = 2}, stops));  // after one of three steps
  trainer.record().metrics["epoch_so_far"] = {100, 1, 0, 1};
  trainer.step();
  trainer.step();
  double loss = 0;
  for (int i = 0; i < 3; ++i) {
    Trainer other = work.trainer();
    for (int s = 0; s < 3 + i; ++s) other.step();
    loss += other.step().loss;
  }
  fit(trainer, work.dev, {.epochs = 2});
  EXPECT_NEAR(trainer.record().metrics["train_loss"].back(), loss / 3, 1e-6);
}

TEST(Trainer, BeforeTheFirstStepAveragesAreTheParameters) {
  const SquareWork work;
  Trainer trainer = work.trainer(0.9);
  trainer.parameters().values(0)[0] = 3;
  trainer.parameters().touch(0);
  EXPECT_EQ(trainer.evaluated_parameters()->values(0)[0], 3);
  EXPECT_EQ(trained_model(trainer.checkpoint()).parameters->values(0)[0], 3);
}

TEST(Trainer, RefusesAModelWithoutALoss) {
  const SquareWork work;
  Model model;
  model.vertex_function("f", [&](Vertex& v) { v.push("y", v.pull("x", 1) * model.parameter("W", {1, 1})); });
  EXPECT_THAT(error_of([&] { Trainer(model, work.train, {.batch_size = 1}); }), testing::HasSubstr("declares a loss"));
}

TEST(Fit, SavesAfterTheStepInWhichItIsRequested) {
  const SquareWork work;
  const TemporaryFolder folder;
  Trainer trainer = work.trainer();
  std::vector<bool> there;
  int step = 0;
  const FitHooks hooks{.step = [&](const TrainStep&) { there.push_back(std::filesystem::exists(folder / "a")); },
                       .save = [&] { return ++step == 2; }};
  fit(trainer, work.none, {.epochs = 1, .save = folder / "a"}, hooks);
  EXPECT_EQ(there, (std::vector<bool>{false, false, true}));
}

class OwnMetrics : public testing::Test {
 protected:
  /// Reports of epochs with these numbers. The first is computed before the first step.
  std::vector<EpochReport> reports_of(std::vector<double> values, bool lower_is_better = false) {
    Trainer trainer = work_.trainer();
    std::size_t next = 0;
    std::vector<EpochReport> reports;
    const FitOptions options{.epochs = 9,
                             .own = {{"mine", [&] { return values.at(next++); }, lower_is_better}},
                             .best_by = "mine",
                             .patience = 2};
    fit(trainer, work_.none, options, {.epoch = [&](const EpochReport& report) { reports.push_back(report); }});
    metrics_ = trainer.record().metrics;
    return reports;
  }
  std::string error_with(const FitOptions& options) {
    Trainer trainer = work_.trainer();
    return error_of([&] { fit(trainer, work_.none, options); });
  }

  const SquareWork work_;
  std::map<std::string, std::vector<double>> metrics_;  // of the last training
};

TEST_F(OwnMetrics, ChooseTheBestEpochAndTheEndWithoutDevelopmentData) {
  const auto reports = reports_of({0, 1, 5, 4, 4.5, 9});
  ASSERT_EQ(reports.size(), 4U);
  EXPECT_EQ(reports[1].own.at("mine"), 5);
  EXPECT_TRUE(reports[1].best);
  EXPECT_FALSE(reports[3].best);
  EXPECT_EQ(metrics_.at("dev_mine"), (std::vector<double>{1, 5, 4, 4.5}));
  EXPECT_EQ(reports_of({0, 5, 1, 2, 3}, true).size(), 4U);
}

TEST_F(OwnMetrics, MustBeComparable) {
  const auto one = [] { return 1.0; };
  EXPECT_THAT(error_with({.own = {{"loss", one}}}), testing::HasSubstr("'loss' is already in use"));
  EXPECT_THAT(error_with({.own = {{"a", one}, {"a", one}}}), testing::HasSubstr("'a' is already in use"));
  EXPECT_THAT(error_with({.own = {{"", one}}}), testing::HasSubstr("no name"));
  EXPECT_THAT(error_with({.own = {{"a", nullptr}}}), testing::HasSubstr("no function"));
  EXPECT_THAT(error_with({.own = {{"a", [] { return std::nan(""); }}}, .best_by = "a"}),
              testing::HasSubstr("cannot be compared by a"));
}

TEST(Fit, AFailedStepMayEndTrainingWithACheckpointOfTheStateBefore) {
  const SquareWork work(1e30F);
  const TemporaryFolder folder;
  for (const bool ends : {true, false}) {
    Trainer trainer = work.trainer();
    const FitHooks hooks{.failed = [&](const std::exception_ptr&) { return ends; }};
    const auto train_on = [&] { return fit(trainer, work.none, {.epochs = 1, .save = folder / "a"}, hooks); };
    if (ends)
      EXPECT_FALSE(train_on());
    else
      EXPECT_THAT(error_of(train_on), testing::HasSubstr("training stopped"));
  }
  EXPECT_EQ(load_checkpoint(folder / "a").position.step, 0);
}

}  // namespace
}  // namespace cavs
