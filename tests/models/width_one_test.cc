// States and embeddings of one number: the narrowest model of each kind trains, evaluates and has right gradients.

#include <gtest/gtest.h>

#include <cmath>

#include "cavs/evaluator.h"
#include "cavs/models.h"
#include "cavs/trainer.h"
#include "helpers/evaluate.h"
#include "helpers/models.h"
#include "helpers/sanitizer.h"

namespace cavs {
namespace {

struct Width {
  const ZooModel* zoo;
  int embedding, hidden;
};

std::vector<Width> widths() {
  std::vector<Width> all;
  for (const ZooModel& zoo : all_models()) {
    all.push_back({&zoo, 1, 1});
    if (!kSanitized) all.insert(all.end(), {{&zoo, 4, 1}, {&zoo, 1, 4}});
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<Width>& info) {
  std::string name(info.param.zoo->name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name + "_embedding" + std::to_string(info.param.embedding) + "_hidden" + std::to_string(info.param.hidden);
}

class WidthOne : public testing::TestWithParam<Width> {};

TEST_P(WidthOne, TrainsAnEpochOnItsOwnDataAndIsEvaluated) {
  const auto& [zoo, embedding, hidden] = GetParam();
  DataOptions options{.limit = 6, .spelled_below = zoo->spelled_below, .graph_builder = zoo->graph_builder};
  const Model network = zoo->make({});  // as the command has it: its functions do not depend on the sizes
  options.network = &network;
  const Dataset data = load_data(std::string(zoo->data), options);
  const Model model =
      zoo->make({.vocabulary = data.rows("word"), .embedding = embedding, .hidden = hidden, .classes = data.classes});
  Trainer trainer(model, data.train, {.batch_size = 3});
  const std::shared_ptr<Parameters> before = model.make_parameters();
  for (std::int64_t step = trainer.steps_per_epoch(); step > 0; --step) EXPECT_TRUE(std::isfinite(trainer.step().loss));
  for (int p = 0; p < before->size(); ++p)
    for (const float x : trainer.parameters().values(p)) ASSERT_TRUE(std::isfinite(x)) << before->info(p).name;
  const std::shared_ptr<Parameters> trained = trainer.shared_parameters();
  const Evaluation evaluation = evaluate(model, trained, data.train, {}, 4, Metric::kPerplexity);
  EXPECT_GT(evaluation.labels, 0);
  EXPECT_GT(evaluation.loss, 0);
  EXPECT_TRUE(std::isfinite(evaluation.loss));
}

TEST_P(WidthOne, HasTheNumbersOfTheReferenceEngine) {
  const auto& [zoo, embedding, hidden] = GetParam();
  const ModelConfig config{.vocabulary = 50, .embedding = embedding, .hidden = hidden, .classes = 10, .seed = 3};
  const Model model = zoo->make(config), copy = Model::from_json(model.to_json());
  const GraphSet graphs = random_samples(*zoo, 5, 50, 11);
  const std::vector<std::int32_t> samples = all_samples(graphs);
  const Bench bench(model, graphs), from_json(copy, graphs);
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
  EXPECT_GT(reference.labels, 0);
  // Sums of products that nearly cancel keep the rounding of their terms.
  expect_same_numbers(bench.run(samples), reference, *bench.parameters, std::string(zoo->name), 1e-7);
  expect_same_numbers(from_json.run(samples), reference, *bench.parameters, std::string(zoo->name), 1e-7);
}

TEST_P(WidthOne, IsTheSameModelWhenItIsReadAgain) {
  const auto& [zoo, embedding, hidden] = GetParam();
  const ModelConfig config{.vocabulary = 50, .embedding = embedding, .hidden = hidden, .classes = 10, .seed = 3};
  const std::string text = zoo->make(config).to_json();
  EXPECT_EQ(Model::from_json(text).to_json(), text);
}

INSTANTIATE_TEST_SUITE_P(Zoo, WidthOne, testing::ValuesIn(widths()), name_of);

}  // namespace
}  // namespace cavs
