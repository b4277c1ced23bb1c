// Pairs of trees: the scores from which correlation is computed.

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "cavs/data.h"
#include "cavs/evaluator.h"
#include "cavs/models.h"
#include "helpers/evaluate.h"

namespace cavs {
namespace {

TEST(Relatedness, EvaluationComparesOnlyTheScoresOfPairs) {
  const Dataset data = load_data("tree-pairs:train=40,test=0,length=4,vocabulary=20");
  const Model model =
      find_model("tree-lstm-relatedness")
          .make({.vocabulary = data.words.size(), .embedding = 16, .hidden = 8, .classes = data.classes});
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
    found.push_back(scores[pair]);
    given.push_back(data.train.float_pulls(0)[pair]);
    EXPECT_TRUE(found.back() >= 1 && found.back() <= 5) << found.back();
    squares += (found.back() - given.back()) * (found.back() - given.back());
  }
  EXPECT_DOUBLE_EQ(evaluation.pearson, pearson(found, given));
  EXPECT_DOUBLE_EQ(evaluation.spearman, spearman(found, given));
  EXPECT_DOUBLE_EQ(evaluation.mean_squared_error, squares / 40);
  EXPECT_TRUE(std::isnan(evaluation.accuracy));
}

}  // namespace
}  // namespace cavs
