// Gradient accumulation over several minibatches per step, and moving averages of the parameters.

#include <gmock/gmock.h>

#include <cmath>
#include <memory>

#include "cavs/data.h"
#include "cavs/fit.h"
#include "cavs/models.h"
#include "cavs/trained_model.h"
#include "graphs/error_text.h"
#include "helpers/compare.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::HasSubstr;

/// Trees of words: each minibatch reads some rows of a table, and dense weights.
class Averaging : public testing::Test {
 protected:
  static const Dataset& data() {
    static const Dataset kData = load_data("listops:train=22,test=6,length=12", {});
    return kData;
  }
  static Model model(double dropout = 0) {
    return find_model("tree-lstm")
        .make({.vocabulary = data().words.size(),
               .embedding = 4,
               .hidden = 6,
               .classes = data().classes,
               .dropout = dropout});
  }
  static TrainOptions options(int batch_size, int accumulate, double ema = 0) {
    TrainOptions options{.batch_size = batch_size, .gradient_norm = true, .accumulate = accumulate, .ema = ema};
    options.optimizer.lr = 0.1;
    return options;
  }
  static std::vector<float> values(const Parameters& parameters) {
    std::vector<float> all;
    for (int p = 0; p < parameters.size(); ++p) {
      const auto values = parameters.values(p);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }
};

TEST_F(Averaging, SeveralMinibatchesEqualOneOfTheirSize) {
  for (const double clip : {0.0, 0.5})
    for (const std::string_view kind : {"sgd", "adam"}) {
      SCOPED_TRACE(std::string(kind) + ", clip " + std::to_string(clip));
      TrainOptions whole = options(8, 1), parts = options(2, 4);
      for (TrainOptions* o : {&whole, &parts}) {
        o->optimizer = optimizer_defaults(kind);
        o->optimizer.eps = kind == "adam" ? 1e-3 : 1e-8;
        o->clip_norm = clip;
        o->optimizer.lr = 0.05;
      }
      const Model m = model(0.3);
      Trainer a(m, data().train, whole), b(m, data().train, parts);
      EXPECT_EQ(a.steps_per_epoch(), 3);
      EXPECT_EQ(b.steps_per_epoch(), 3);
      for (int step = 0; step < 4; ++step) {  // the third step ends an epoch and has six samples
        const TrainStep found = b.step(), expected = a.step();
        EXPECT_EQ(found.samples, expected.samples);
        EXPECT_EQ(found.labels, expected.labels);
        EXPECT_NEAR(found.loss, expected.loss, 1e-5 * expected.loss);
        EXPECT_NEAR(found.gradient_norm, expected.gradient_norm, 1e-4 * expected.gradient_norm);
        EXPECT_EQ(a.position(), b.position());
      }
      const std::vector<float> x = values(a.parameters()), y = values(b.parameters());
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], 2e-5) << i;
    }
}

TEST_F(Averaging, SeveralMinibatchesHaveTheSameBitsForAnyThreadsAndAfterResuming) {
  const Model m = model(0.3);
  const auto trainer = [&](int accumulate, int threads) {
    TrainOptions o = options(2, accumulate, 0.75);
    o.optimizer = optimizer_defaults("adam");
    o.clip_norm = 0.5;
    o.session.threads = threads;
    return std::make_unique<Trainer>(m, data().train, o);
  };
  const auto state = [](Trainer& trainer, int steps) {
    while (trainer.position().step < steps) trainer.step();
    return trainer.checkpoint();
  };
  for (const int accumulate : {2, 3, 7, 11, 40}) {  // 40 is the number of samples
    const Checkpoint expected = state(*trainer(accumulate, 1), 6);
    for (const int stop : {0, 1, 2, 5}) {
      const Checkpoint stopped = state(*trainer(accumulate, 1), stop);
      const auto resumed = trainer(accumulate, 2);
      resumed->restore(stopped);
      EXPECT_EQ(state(*resumed, 6), expected) << accumulate << " minibatches, stopped after " << stop;
    }
  }
}

TEST_F(Averaging, AveragesFollowTheParameters) {
  const Model m = model();
  Trainer trainer(m, data().train, options(4, 1, 0.75));
  std::vector<double> expected;
  for (int step = 0; step < 4; ++step) {
    trainer.step();
    const std::vector<float> now = values(trainer.parameters());
    if (step == 0) expected.assign(now.begin(), now.end());
    for (std::size_t i = 0; i < now.size(); ++i) expected[i] = 0.75 * expected[i] + 0.25 * now[i];
  }
  const std::vector<float> averages = values(*trainer.evaluated_parameters());
  EXPECT_NE(averages, values(trainer.parameters()));
  for (std::size_t i = 0; i < averages.size(); ++i) EXPECT_NEAR(averages[i], expected[i], 1e-6);
}

TEST_F(Averaging, WithoutAveragesTheParametersAreEvaluated) {
  const Model m = model();
  Trainer trainer(m, data().train, options(4, 1));
  EXPECT_EQ(trainer.evaluated_parameters().get(), &trainer.parameters());
}

TEST_F(Averaging, TheCheckpointHasBothAndPredictionUsesTheAverages) {
  const Model m = model();
  Trainer trainer(m, data(), options(4, 1, 0.75));
  for (int step = 0; step < 3; ++step) trainer.step();
  const Checkpoint checkpoint = trainer.checkpoint();
  const TemporaryFolder folder;
  save_checkpoint(folder / "a", checkpoint);
  const Checkpoint loaded = load_checkpoint(folder / "a");
  EXPECT_EQ(loaded, checkpoint);
  EXPECT_EQ(values(*trained_model(loaded).parameters), values(*trainer.evaluated_parameters()));
  EXPECT_EQ(values(*trained_model(loaded, false).parameters), values(trainer.parameters()));
}

TEST_F(Averaging, AveragesThatDoNotFitAreRefused) {
  const Model m = model();
  Trainer trainer(m, data().train, options(4, 1, 0.75));
  trainer.step();
  Checkpoint checkpoint = trainer.checkpoint();
  Trainer none(m, data().train, options(4, 1)), other(m, data().train, options(4, 1, 0.5));
  EXPECT_THAT(error_of([&] { none.restore(checkpoint); }), HasSubstr("averages of decay 0.75 (0: none), found 0;"));
  EXPECT_THAT(error_of([&] { other.restore(checkpoint); }), HasSubstr("found 0.5; resume with the same decay"));
  checkpoint.averages->values.pop_back();
  EXPECT_THAT(error_of([&] { trainer.restore(checkpoint); }), HasSubstr("average of 'output_b' [10] is missing"));
  checkpoint = trainer.checkpoint();
  checkpoint.averages->values[0].values[0] = NAN;
  EXPECT_THAT(error_of([&] { trained_model(checkpoint); }), HasSubstr("average of '"));
}

TEST_F(Averaging, FitEvaluatesTheAverages) {
  const Model m = model();
  Trainer trainer(m, data().train, options(4, 1, 0.75));
  fit(trainer, data().dev, {.epochs = 1});
  EXPECT_EQ(trainer.record().metrics.at("dev_loss").at(0),
            evaluate(m, trainer.evaluated_parameters(), data().dev).loss);
}

TEST_F(Averaging, OptionsOutOfRangeAreRefused) {
  const auto error = [&](const TrainOptions& o) { return error_of([&] { Trainer(model(), data().train, o); }); };
  EXPECT_THAT(error(options(4, 0)), HasSubstr("0 minibatches per step; expected at least 1"));
  EXPECT_THAT(error(options(4, 1, 1)), HasSubstr("the decay of averages is 1; expected 0 (none) to below 1"));
  EXPECT_THAT(error(options(4, 1, NAN)), HasSubstr("the decay of averages is nan"));
}

}  // namespace
}  // namespace cavs
