#include <gtest/gtest.h>

#include "cavs/optimizer.h"

namespace cavs {
namespace {

using Decay = LearningRateSchedule::Decay;

TEST(LearningRateSchedule, IsConstantByDefault) {
  for (const std::int64_t step : {0, 1, 1'000'000}) EXPECT_EQ(LearningRateSchedule().factor(step), 1);
}

TEST(LearningRateSchedule, WarmsUpLinearlyAndDecaysFromThere) {
  const LearningRateSchedule s{.decay = Decay::kLinear, .warmup_steps = 4, .decay_steps = 10, .floor = 0.5};
  EXPECT_EQ(s.factor(0), 0.25);
  EXPECT_EQ(s.factor(3), 1);
  EXPECT_EQ(s.factor(4), 1);
  EXPECT_DOUBLE_EQ(s.factor(9), 0.75);
  EXPECT_EQ(s.factor(14), 0.5);
  EXPECT_EQ(s.factor(1000), 0.5);
}

TEST(LearningRateSchedule, CosineIsHalfInTheMiddle) {
  const LearningRateSchedule s{.decay = Decay::kCosine, .decay_steps = 100, .floor = 0.2};
  EXPECT_EQ(s.factor(0), 1);
  EXPECT_DOUBLE_EQ(s.factor(50), 0.6);
  EXPECT_DOUBLE_EQ(s.factor(100), 0.2);
  EXPECT_DOUBLE_EQ(s.factor(101), 0.2);
}

TEST(LearningRateSchedule, ExponentialIsSmoothAndStepIsNot) {
  const LearningRateSchedule smooth{.decay = Decay::kExponential, .decay_steps = 10, .rate = 0.25, .floor = 0.01};
  EXPECT_DOUBLE_EQ(smooth.factor(5), 0.5);
  EXPECT_DOUBLE_EQ(smooth.factor(10), 0.25);
  EXPECT_DOUBLE_EQ(smooth.factor(1000), 0.01);
  LearningRateSchedule stepped = smooth;
  stepped.decay = Decay::kStep;
  EXPECT_EQ(stepped.factor(9), 1);
  EXPECT_EQ(stepped.factor(10), 0.25);
  EXPECT_EQ(stepped.factor(19), 0.25);
}

}  // namespace
}  // namespace cavs
