// A metric that cannot be computed is an error on request, and not available if it is the default.

#include <gmock/gmock.h>

#include <cmath>

#include "cavs/fit.h"
#include "graphs/error_text.h"
#include "helpers/graphs.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;

GraphSet metric_graphs() { return dressed_set({chain(4), star(3), chain(2)}); }

/// Pushes the rows of `port`.
Model model_with(const std::string& port, bool loss = true, int width = kLabels) {
  Model m({.seed = 2});
  auto E = m.lookup("E", {kWords, 4});
  auto W = m.parameter("W", {4, width});
  m.vertex_function("vertex", [&](Vertex& v) {
    const Value y = tanh(E(v.pull_index("word"))) * W;
    if (!port.empty()) v.push(port, y);
    v.scatter("all", sum(v.children("all")) + y);
    if (loss && width == kLabels) v.loss(softmax_cross_entropy(y, v.pull_index("label")));
  });
  return m;
}

std::string error_with(Metric metric, const Model& model, const GraphSet& data) {
  return error_of([&] { evaluate(model, model.make_parameters(), data, {}, 4, metric); });
}

TEST(Metrics, OnRequestNameThePortThatTheModelLacks) {
  const GraphSet data = metric_graphs();
  EXPECT_EQ(error_with(Metric::kAccuracy, model_with("scores"), data),
            "metric 'accuracy' cannot be computed: the model pushes no 'logits' to compare; known: scores");
  EXPECT_EQ(error_with(Metric::kF1, model_with(""), data),
            "metric 'F1 of tags' cannot be computed: the model pushes no 'logits' to compare; known: none");
  EXPECT_EQ(error_with(Metric::kCorrelation, model_with("scores"), data),
            "metric 'correlation' cannot be computed: the model pushes no 'score' to compare; did you mean 'scores'? "
            "known: scores");
  EXPECT_EQ(
      error_with(Metric::kCorrelation, model_with("score"), data),
      "metric 'correlation' cannot be computed: the push 'score' of the model is [5]; expected one number per vertex");
  EXPECT_EQ(error_with(Metric::kPerplexity, model_with("logits", false), data),
            "metric 'perplexity' cannot be computed: the model has no loss; declare one with Vertex::loss");
}

TEST(Metrics, OnRequestNameThePortThatTheDataLack) {
  const GraphSet data = metric_graphs();
  EXPECT_EQ(error_with(Metric::kCorrelation, model_with("score", false, 1), data),
            "metric 'correlation' cannot be computed: the data have no float port 'score' to compare with; known: box");
  GraphSet wide({.types = {"vertex"}, .index_ports = {"word"}, .float_ports = {{"score", 2}}});
  EXPECT_EQ(error_with(Metric::kCorrelation, model_with("score", false, 1), wide),
            "metric 'correlation' cannot be computed: the float port 'score' of the data has 2 numbers; expected 1");
  EXPECT_EQ(error_with(Metric::kAccuracy, model_with("logits", false), wide),
            "metric 'accuracy' cannot be computed: the data have no index port 'label' to compare with; known: word");
}

TEST(Metrics, AreRefusedBeforeTrainingBegins) {
  const GraphSet data = metric_graphs();
  const Model model = model_with("scores");
  Trainer trainer(model, data, {});
  EXPECT_THAT(error_of([&] { fit(trainer, data, {.epochs = 1, .metric = Metric::kAccuracy}); }),
              HasSubstr("metric 'accuracy' cannot be computed"));
  EXPECT_EQ(trainer.position().step, 0);
}

TEST(Metrics, ByDefaultAreNotAvailableIfTheyCannotBeComputed) {
  const GraphSet data = metric_graphs();
  const Model model = model_with("scores"), classifier = model_with("logits");
  const Evaluation evaluation = evaluate(model, model.make_parameters(), data);
  EXPECT_GT(evaluation.loss, 0);
  for (const double value : {evaluation.accuracy, evaluation.root_accuracy, evaluation.token_f1, evaluation.entity_f1,
                             evaluation.pearson, evaluation.spearman, evaluation.mean_squared_error})
    EXPECT_TRUE(std::isnan(value));
  EXPECT_FALSE(std::isnan(evaluate(classifier, classifier.make_parameters(), data).accuracy));
  for (const bool logits : {false, true}) {
    const Model& m = logits ? classifier : model;
    Trainer trainer(m, data, {});
    fit(trainer, data, {.epochs = 1});
    const TrainingRecord& record = trainer.record();
    EXPECT_EQ(record.metrics.contains("dev_accuracy"), logits);
    EXPECT_EQ(record.metrics.at("dev_loss").size(), 1U);
  }
}

TEST(Metrics, OfDataWithoutALabelAreNotAvailable) {
  const Model model = model_with("logits");
  GraphArrays arrays = metric_graphs().to_arrays();
  std::ranges::fill(arrays.index_pulls[1], -1);
  const GraphSet data = GraphSet::from_arrays(metric_graphs().schema(), std::move(arrays));
  const Evaluation evaluation = evaluate(model, model.make_parameters(), data, {}, 4, Metric::kAccuracy);
  EXPECT_EQ(evaluation.labels, 0);
  for (const double value : {evaluation.loss, evaluation.perplexity, evaluation.accuracy, evaluation.root_accuracy})
    EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace cavs
