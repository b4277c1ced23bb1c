// Pairs of trees: what correlation is computed from, and that the model learns it.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cavs/data.h"
#include "cavs/fit.h"
#include "cavs/models.h"
#include "cavs/scores.h"
#include "helpers/evaluate.h"

namespace cavs {
namespace {

Model relatedness_model(const Dataset& data, int hidden) {
  return find_model("tree-lstm-relatedness")
      .make({.vocabulary = data.words.size(), .embedding = 16, .hidden = hidden, .classes = data.classes});
}

TEST(Relatedness, EvaluationComparesTheScoresOfPairsAlone) {
  const Dataset data = load_data("tree-pairs:train=40,test=0,length=4,vocabulary=20");
  const Model model = relatedness_model(data, 8);
  const std::shared_ptr<Parameters> parameters = model.make_parameters();
  const Evaluation evaluation = evaluate(model, parameters, data.train, {}, 16, Metric::kCorrelation);
  EXPECT_EQ(evaluation.labels, 40);
  const auto program = compile(model, {.training = false});
  const auto bound = bind_graphs(program, data.train);
  Session session(program, parameters);
  const std::vector<std::int32_t> samples = all_samples(data.train);
  const std::vector<float> scores = session.forward(*bound, samples).output("score");
  std::vector<double> found, given;
  double squares = 0;
  for (std::int32_t s = 0; s < data.train.size(); ++s) {
    const std::int64_t pair = data.train.vertex_begin()[s + 1] - 1;
    found.push_back(scores[pair]), given.push_back(data.train.float_pulls(0)[pair]);
    EXPECT_TRUE(found.back() >= 1 && found.back() <= 5) << found.back();
    squares += (found.back() - given.back()) * (found.back() - given.back());
  }
  EXPECT_DOUBLE_EQ(evaluation.pearson, pearson(found, given));
  EXPECT_DOUBLE_EQ(evaluation.spearman, spearman(found, given));
  EXPECT_DOUBLE_EQ(evaluation.mean_squared_error, squares / 40);
  EXPECT_TRUE(std::isnan(evaluation.accuracy));
}

TEST(Relatedness, IsLearned) {
  const Dataset data = load_data("tree-pairs:train=400,test=100,length=3,vocabulary=12");
  const Model model = relatedness_model(data, 24);
  TrainOptions options;
  options.batch_size = 16;
  options.optimizer = optimizer_defaults("adam");
  options.optimizer.lr = 0.01;
  Trainer trainer(model, data.train, options);
  Checkpoint record;
  fit(trainer, model, data.dev, {.epochs = 15, .metric = Metric::kCorrelation}, {}, record);
  EXPECT_GT(record.metrics.at("dev_pearson").back(), 0.75);
  EXPECT_GT(record.metrics.at("dev_pearson").back(), record.metrics.at("dev_pearson").front());
  EXPECT_EQ(record.metrics.at("dev_spearman").size(), 15U);
  EXPECT_GE(*std::ranges::min_element(record.metrics.at("train_loss")), 0);  // a divergence
}

}  // namespace
}  // namespace cavs
