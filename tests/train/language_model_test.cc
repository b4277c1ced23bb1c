// Language models: their metric, and a check that they learn more than word frequencies.

#include <gmock/gmock.h>

#include <cmath>

#include "cavs/data.h"
#include "cavs/fit.h"
#include "cavs/models.h"

namespace cavs {
namespace {

/// Perplexity of predicting every word only by its count in the training set, plus one.
double unigram_perplexity(const Dataset& data) {
  std::vector<double> counts(data.classes, 1.0);
  double sum = data.classes, loss = 0;
  for (const std::int32_t word : data.train.index_pulls(1)) {
    ++counts[word];
    ++sum;
  }
  for (const std::int32_t word : data.dev.index_pulls(1)) loss -= std::log(counts[word] / sum);
  return std::exp(loss / static_cast<double>(data.dev.index_pulls(1).size()));
}

struct LanguageWork {
  explicit LanguageWork(std::string_view name, const std::string& spec, int hidden = 32)
      : zoo(find_model(name)),
        data(load_data(spec, {.steps = zoo.steps})),
        model(zoo.make({.vocabulary = data.words.size(), .embedding = 16, .hidden = hidden, .classes = data.classes})) {
    options.batch_size = 16;
    options.optimizer = optimizer_defaults("adam");
    options.optimizer.lr = 0.01;
  }

  const ZooModel& zoo;
  Dataset data;
  Model model;
  TrainOptions options;
};

TEST(LanguageModel, LearnsMoreThanTheFrequenciesOfWords) {
  for (const char* name : {"var-lstm", "fixed-lstm"}) {
    LanguageWork work(name, "markov:train=500,test=80,length=9,vocabulary=40");
    if (work.zoo.steps > 0) work.data = load_data("markov:train=80,test=15,length=9,vocabulary=40,steps=64");
    Trainer trainer(work.model, work.data.train, work.options);
    fit(trainer, work.data.dev, {.epochs = 12, .metric = work.zoo.metric});
    const double unigram = unigram_perplexity(work.data), found = trainer.record().metrics.at("dev_perplexity").back();
    EXPECT_LT(found, 0.7 * unigram) << name;
    RecordProperty(std::string(name) + "_unigram", std::to_string(unigram));
    RecordProperty(std::string(name) + "_perplexity", std::to_string(found));
  }
}

TEST(LanguageModel, IsEvaluatedByPerplexityOnly) {
  LanguageWork work("var-lstm", "markov:train=30,test=10,vocabulary=20");
  Trainer trainer(work.model, work.data.train, work.options);
  std::vector<EpochReport> reports;
  const FitHooks hooks{.epoch = [&](const EpochReport& report) { reports.push_back(report); }};
  fit(trainer, work.data.dev, {.epochs = 2, .metric = Metric::kPerplexity}, hooks);
  const TrainingRecord& record = trainer.record();
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_DOUBLE_EQ(reports[1].dev->perplexity, std::exp(reports[1].dev->loss));
  EXPECT_DOUBLE_EQ(reports[1].train_perplexity, std::exp(reports[1].train_loss));
  EXPECT_THAT(record.metrics.at("dev_perplexity"),
              testing::ElementsAre(reports[0].dev->perplexity, reports[1].dev->perplexity));
  EXPECT_EQ(record.metrics.at("train_perplexity").size(), 2U);
  EXPECT_FALSE(record.metrics.contains("dev_accuracy"));
}

TEST(LanguageModel, HasTheSamePerplexityWithAndWithoutAccuracy) {
  const LanguageWork work("var-lstm", "markov:train=30,vocabulary=20");
  const auto parameters = work.model.make_parameters();
  const Evaluation quick = evaluate(work.model, parameters, work.data.train, {}, 8, Metric::kPerplexity),
                   full = evaluate(work.model, parameters, work.data.train, {}, 8);
  EXPECT_EQ(quick.loss, full.loss);
  EXPECT_EQ(quick.labels, full.labels);
  EXPECT_TRUE(std::isnan(quick.accuracy));
  EXPECT_GT(full.accuracy, 0);
}

TEST(LanguageModel, OutputsWithoutReadersNeedNoMemory) {
  const LanguageWork work("var-lstm", "markov:train=16,vocabulary=2000");
  const std::vector<std::int32_t> samples{0, 1, 2, 3};
  Model model = work.model;
  model.extend("token", [](Vertex& v) { v.push("h", v.scattered("h")); });
  const auto bytes = [&](const CompileOptions& options) {
    const auto program = compile(model, options);
    Session session(program, model.make_parameters());
    return session.memory(*bind_graphs(program, work.data.train), samples);
  };
  const std::int64_t vertices = work.data.train.vertex_begin()[4];
  EXPECT_LE(bytes({.training = false, .loss = false, .pushes = std::vector<std::string>{"h"}}),
            bytes({.training = false}) - vertices * 2000 * 4);
}

}  // namespace
}  // namespace cavs
