// The model of a step on cores, against sums that are done by hand.

#include "measure/predict_cpu.h"

#include <gmock/gmock.h>

#include "cavs/data.h"
#include "cavs/models.h"
#include "measure/planned_epoch.h"

namespace cavs {
namespace {

/// Round figures, so that a time can be worked out: one core multiplies and adds a gigaflop a millisecond.
CoreSpeed cores(int count) {
  CoreSpeed speed;
  speed.cores = count, speed.gflops = 1000, speed.rendezvous_us = 0.5;
  speed.passes = {{1 << 10, 100}, {1 << 20, 100}, {1 << 22, 10}};
  return speed;
}

struct PredictedWork {
  Dataset data = load_data("binary-trees:leaves=8,samples=4");
  Model model = find_model("tree-fc").make(
      {.vocabulary = data.rows("word"), .embedding = 64, .hidden = 64, .classes = data.classes});
  std::shared_ptr<const Program> program = compile(model, {.training = false});

  CpuPrediction predict(const CoreSpeed& speed, int batch_size) const {
    const WeightPlacement placement = place_weights(*program, cpu_target(speed.cores, 1 << 21));
    CpuPredictor predictor(*program, placement, speed);
    each_plan_of_epoch(*program, data.train, batch_size, {}, speed.cores,
                       [&](const Plan& plan) { predictor.add(plan); });
    return predictor.mean();
  }
};

TEST(CoreSpeed, LiesBetweenWhatWasMeasured) {
  const CoreSpeed speed = cores(1);
  EXPECT_DOUBLE_EQ(speed.gb_s(1), 100);
  EXPECT_DOUBLE_EQ(speed.gb_s(1 << 20), 100);
  EXPECT_DOUBLE_EQ(speed.gb_s(1 << 21), 55) << "half way in the logarithm";
  EXPECT_DOUBLE_EQ(speed.gb_s(1 << 30), 10);
}

TEST(CoreSpeed, OfThisMachineIsPositive) {
  const CoreSpeed speed = measure_cores(2);
  EXPECT_GT(speed.gflops, 0);
  EXPECT_GT(speed.rendezvous_us, 0);
  for (const CoreSpeed::Pass& pass : speed.passes) EXPECT_GT(pass.gb_s, 0) << pass.bytes;
}

/// Levels of 4, 2 and 1 vertices a tree; each multiplies both children's states with 64 x 64 weights.
TEST(CpuPrediction, OfASmallLevelIsThePassOverItsWeights) {
  const PredictedWork work;
  const CpuPrediction p = work.predict(cores(1), 1);
  EXPECT_EQ(p.steps, 4);
  EXPECT_DOUBLE_EQ(p.products, 3);
  const double pass = 2 * 64 * 64 * 4 / 100e3, row = 2.0 * 2 * 64 * 64 / 1e6;
  ASSERT_LT(4 * row, pass);
  EXPECT_NEAR(p.cache_bound, 3 * pass, 1e-9);
  EXPECT_EQ(p.fma_bound, 0);
  EXPECT_EQ(p.rendezvous, 0) << "one core waits for nobody";
  EXPECT_EQ(p.update, 0) << "inference";
}

TEST(CpuPrediction, OfALargeLevelIsItsMultiplyAdds) {
  PredictedWork work;
  work.data = load_data("binary-trees:leaves=64,samples=4");
  const CpuPrediction p = work.predict(cores(1), 4);
  const double pass = 2 * 64 * 64 * 4 / 100e3,
               row = 2.0 * 2 * 64 * 64 / 1e6;  // a level of 20 rows and more is bound by it
  EXPECT_NEAR(p.fma_bound, (128 + 64 + 32) * row, 1e-9);
  EXPECT_NEAR(p.cache_bound, 3 * pass, 1e-9) << "levels of 16, 8 and 4 rows";
}

TEST(CpuPrediction, OfTwoCoresHalvesTheProductsAndAddsRendezvous) {
  PredictedWork work;
  work.data = load_data("binary-trees:leaves=64,samples=4");
  const CpuPrediction one = work.predict(cores(1), 4), two = work.predict(cores(2), 4);
  EXPECT_GT(two.meetings, 2);
  EXPECT_DOUBLE_EQ(two.rendezvous, two.meetings * 0.5);
  EXPECT_LT(two.cache_bound + two.fma_bound, one.cache_bound + one.fma_bound);
  EXPECT_GE(two.cache_bound + two.fma_bound, (one.cache_bound + one.fma_bound) / 2 - 1e-9);
}

TEST(CpuPrediction, OfTrainingHasAnUpdate) {
  PredictedWork work;
  const double inference = work.predict(cores(1), 1).step_us();
  work.program = compile(work.model, {.pushes = std::vector<std::string>()});
  const CpuPrediction training = work.predict(cores(1), 1);
  EXPECT_GT(training.update, 0);
  EXPECT_GT(training.step_us(), 2 * inference);
}

}  // namespace
}  // namespace cavs
