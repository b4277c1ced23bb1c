#include "cavs/evaluator.h"

#include <gmock/gmock.h>

#include <optional>

#include "cavs/data.h"
#include "cavs/models.h"
#include "cavs/trainer.h"
#include "graphs/error_text.h"
#include "helpers/compare.h"

namespace cavs {
namespace {

struct EvaluatedWork {
  Dataset data = load_data("random-trees:train=24,test=12,leaves=6");
  Model model = find_model("tree-lstm").make({.vocabulary = data.words.size(), .embedding = 8, .hidden = 8});
};

class Evaluators : public testing::TestWithParam<EngineKind> {
 protected:
  EvaluatedWork work_;
  EvaluatorOptions options_{.session = {.engine = GetParam()}, .batch_size = 5};
};
INSTANTIATE_TEST_SUITE_P(All, Evaluators, testing::Values(EngineKind::kBatched, EngineKind::kReference),
                         [](const auto& engine) { return std::string(to_string(engine.param)); });

TEST_P(Evaluators, FollowTheParametersAndGiveTheBitsOfANewEvaluator) {
  Trainer trainer(work_.model, work_.data.train, {.batch_size = 8});
  Evaluator evaluator(work_.model, trainer.shared_parameters(), work_.data.dev, options_);
  std::vector<double> losses;
  for (int step = 0; step < 4; ++step) {
    const Evaluation found = evaluator.evaluate(), again = evaluator.evaluate(),
                     anew = evaluate(work_.model, trainer.shared_parameters(), work_.data.dev, options_.session, 5);
    EXPECT_EQ(found.loss, anew.loss);
    EXPECT_EQ(found.accuracy, anew.accuracy);
    EXPECT_EQ(found.root_accuracy, anew.root_accuracy);
    EXPECT_EQ(found.labels, anew.labels);
    EXPECT_EQ(found.loss, again.loss);
    EXPECT_EQ(found.labels, again.labels) << "counts restart for each evaluation";
    EXPECT_THAT(losses, testing::Not(testing::Contains(found.loss))) << "the parameters have changed";
    losses.push_back(found.loss);
    trainer.step();
  }
}

TEST_P(Evaluators, DoNotChangeTraining) {
  Trainer alone(work_.model, work_.data.train, {.batch_size = 8}),
      watched(work_.model, work_.data.train, {.batch_size = 8});
  Evaluator evaluator(work_.model, watched.shared_parameters(), work_.data.dev, options_);
  for (int step = 0; step < 4; ++step) {
    alone.step();
    watched.step();
    evaluator.evaluate();
  }
  for (int p = 0; p < alone.parameters().size(); ++p)
    expect_same_bits(watched.parameters().values(p), alone.parameters().values(p), alone.parameters().info(p).name);
}

TEST_P(Evaluators, KeepTheParametersAfterTheTrainerIsGone) {
  std::optional<Trainer> trainer(std::in_place, work_.model, work_.data.train, TrainOptions{.batch_size = 8});
  trainer->step();
  Evaluator evaluator(work_.model, trainer->shared_parameters(), work_.data.dev, options_);
  const double loss = evaluator.evaluate().loss;
  trainer.reset();
  EXPECT_EQ(evaluator.evaluate().loss, loss);
}

TEST(Evaluator, RefusesBadArgumentsInTheConstructor) {
  const EvaluatedWork work;
  const auto parameters = work.model.make_parameters();
  const auto made = [&](EvaluatorOptions options) {
    return error_of([&] { Evaluator(work.model, parameters, work.data.dev, std::move(options)); });
  };
  EXPECT_THAT(made({.batch_size = 0}), testing::HasSubstr("the batch size of an evaluation is 0; expected at least 1"));
  EXPECT_THAT(made({.metric = Metric::kCorrelation}), testing::HasSubstr("cannot be computed"));
  EXPECT_THAT(made({.metric = Metric::kF1, .class_names = {"one"}}), testing::HasSubstr("but 1 tags are named"));
  EXPECT_EQ(made({}), "no UserError");
}

}  // namespace
}  // namespace cavs
