// Language models on real text.

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "cavs/data.h"
#include "cavs/evaluator.h"
#include "cavs/models.h"
#include "cavs/trainer.h"

namespace cavs {
namespace {

/// $CAVS_DATA, or where the build expects the data sets.
std::string data_folder() {
  const char* given = std::getenv("CAVS_DATA");
  return given != nullptr ? given : CAVS_DATA_DIR;
}

TEST(WikiText, AFewStepsLowerThePerplexity) {
  const std::string file = data_folder() + "/wikitext2/wiki.train.tokens.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no " << file << "; set CAVS_DATA to the folder of the data sets";
  for (const char* name : {"var-lstm", "fixed-lstm"}) {
    const ZooModel& zoo = find_model(name);
    const Dataset data = load_data("text:" + file + ",vocabulary=2000", {.limit = 240, .steps = zoo.steps});
    ASSERT_EQ(data.words.size(), 2'000);
    EXPECT_EQ(data.words.word(2), "the");
    const Model model = zoo.make({.vocabulary = 2'000, .embedding = 32, .hidden = 32, .classes = 2'000});
    TrainOptions options;
    options.batch_size = 16;
    options.optimizer = optimizer_defaults("adam");
    options.optimizer.lr = 0.01;
    Trainer trainer(model, data.train, options);
    const auto perplexity = [&] {
      const std::shared_ptr<Parameters> parameters = trainer.shared_parameters();
      return evaluate(model, parameters, data.train, {}, 16, Metric::kPerplexity).perplexity;
    };
    const double before = perplexity();
    EXPECT_NEAR(before, 2'000, 200) << name;  // nothing is known yet
    for (int step = 0; step < 15; ++step) trainer.step();
    EXPECT_LT(perplexity(), before / 4) << name;
  }
}

}  // namespace
}  // namespace cavs
