#include "measure/benchmark.h"

#include <gtest/gtest.h>

#include "cavs/data.h"
#include "cavs/models.h"

namespace cavs {
namespace {

struct BenchmarkWork {
  Dataset data = load_data("binary-trees:leaves=4,samples=10");
  Model model = find_model("tree-fc").make({.vocabulary = data.rows("word"), .hidden = 8});
  BenchmarkOptions options = [] {
    BenchmarkOptions o;
    o.epochs = 3;
    o.train.batch_size = 4;
    return o;
  }();
};

TEST(Benchmark, CountsWholeEpochs) {
  const BenchmarkWork work;
  const BenchmarkResult r = benchmark(work.model, work.data.train, work.options);
  EXPECT_EQ(r.epochs, 3);
  EXPECT_EQ(r.steps, 3);
  EXPECT_EQ(r.samples, 10);
  EXPECT_EQ(r.vertices, 70);
  EXPECT_NEAR(r.samples_per_second * r.seconds, 30, 1e-6);
  EXPECT_NEAR(r.vertices_per_second * r.seconds, 210, 1e-6);
  EXPECT_NEAR(r.step_ms * 9, r.seconds * 1e3, 1e-6);
  EXPECT_EQ(r.tasks, 3) << "one task per level";
}

TEST(Benchmark, InferenceUpdatesNothing) {
  BenchmarkWork work;
  const BenchmarkResult training = benchmark(work.model, work.data.train, work.options);
  work.options.training = false;
  const BenchmarkResult inference = benchmark(work.model, work.data.train, work.options);
  EXPECT_GT(training.update_ms, 0);
  EXPECT_EQ(inference.update_ms, 0);
  EXPECT_LT(inference.flops, training.flops);
  EXPECT_NEAR(inference.loss, training.loss, 1e-6 * training.loss) << "the loss of the first step, before any update";
}

TEST(Benchmark, WithoutEpochsRunsForTheGivenTime) {
  BenchmarkWork work;
  work.options.epochs = 0;
  work.options.min_seconds = 0.05;
  EXPECT_GE(benchmark(work.model, work.data.train, work.options).seconds, 0.05);
}

}  // namespace
}  // namespace cavs
