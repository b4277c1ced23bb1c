// The model of the time of a level on a GPU, against figures that were worked out by hand.

#include "measure/predict_gpu.h"

#include <gmock/gmock.h>

#include "cavs/data.h"
#include "cavs/models.h"
#include "measure/planned_epoch.h"
#include "placement/largest_hidden.h"

namespace cavs {
namespace {

using testing::Each;
using testing::Field;
using testing::SizeIs;

const OnChipTarget& h100() { return gpu_targets()[1]; }
const GpuSpeed& h100_speed() { return gpu_speeds()[1]; }

std::shared_ptr<const Program> compiled(const std::string& name, int hidden,
                                        const std::vector<std::string>& disabled = {}) {
  const Model model = find_model(name).make({.vocabulary = 1000, .embedding = 64, .hidden = hidden, .classes = 5});
  return compile(model, {.pushes = std::vector<std::string>(), .disabled_passes = disabled});
}

/// So many trees of two leaves: one level of inner vertices.
std::vector<LevelWork> levels_of_pairs(const Program& program, int trees, int number_bytes) {
  const Dataset data = load_data("binary-trees:leaves=2,samples=" + std::to_string(trees));
  const WeightPlacement placement = place_weights(program, h100(), PlacementStrategy::kGatesTogether, number_bytes);
  std::vector<LevelWork> levels;
  each_plan_of_epoch(program, data.train, trees, {}, 1,
                     [&](const Plan& plan) { levels = levels_of(program, placement, plan); });
  return levels;
}

TEST(GpuSpeed, IsKnownOfEveryGpuThatWeightsArePlacedOn) {
  ASSERT_EQ(gpu_speeds().size(), gpu_targets().size());
  for (std::size_t i = 0; i < gpu_speeds().size(); ++i) EXPECT_EQ(gpu_speeds()[i].target, gpu_targets()[i].name);
}

/// Five gates of two children: 10 h^2 weights, 2 h numbers a row. t_b + t_r + t_m + t_c with 132 processors at 1.755
/// GHz.
TEST(PredictLevel, HasTheFiguresOfABinaryTreeLstm) {
  struct Row {
    int hidden, rows;
    double fp32, bf16;
  };
  constexpr Row kRows[] = {{256, 1, 1.62, 1.60}, {256, 16, 2.55, 1.85}, {256, 64, 5.54, 2.74},
                           {512, 1, 1.74, 1.69}, {512, 16, 4.56, 2.25}, {512, 64, 13.57, 4.32}};
  for (const Row& row : kRows) {
    const double h = row.hidden, weights = 10 * h * h / 132;
    LevelWork level;
    level.rows = row.rows, level.read = row.rows * 2 * h;
    level.multiply_adds = row.rows * weights, level.multiply_adds_8 = (row.rows + 7) / 8 * 8 * weights;
    const std::string what = "h = " + std::to_string(row.hidden) + ", " + std::to_string(row.rows) + " rows";
    EXPECT_NEAR(predict_level(level, h100_speed(), 4).us(), row.fp32, 0.006) << what;
    EXPECT_NEAR(predict_level(level, h100_speed(), 2).us(), row.bf16, 0.006) << what;
  }
}

void expect_work(const LevelWork& found, const LevelWork& expected) {
  EXPECT_EQ(found.backward, expected.backward);
  EXPECT_EQ(found.rows, expected.rows);
  EXPECT_EQ(found.barriers, expected.barriers);
  EXPECT_DOUBLE_EQ(found.read, expected.read);
  EXPECT_DOUBLE_EQ(found.partial, expected.partial);
  EXPECT_DOUBLE_EQ(found.multiply_adds, expected.multiply_adds);
  EXPECT_DOUBLE_EQ(found.multiply_adds_8, expected.multiply_adds_8);
  EXPECT_EQ(found.streamed, expected.streamed);
}

/// Each child has three gates and a forget gate of its own.
TEST(PredictLevel, CountsWhatALevelAsksFor) {
  const auto levels = levels_of_pairs(*compiled("tree-lstm-binary", 256), 3, 4);
  ASSERT_THAT(levels, SizeIs(2)) << "of F and of ∂F";
  const double weights = 8 * 256 * 256 / 132.0;
  LevelWork work;
  work.rows = 3, work.multiply_adds = 3 * weights, work.multiply_adds_8 = 8 * weights;
  work.read = 3 * 2 * 256;
  expect_work(levels[0], work);
  work.backward = true, work.barriers = 2;  // sums over each processor's columns are added up after one more
  work.read = 0, work.partial = 3 * 4 * 256;
  expect_work(levels[1], work);
}

TEST(PredictLevel, AProductOfAProductIsOneMoreBarrier) {
  const auto levels = levels_of_pairs(*compiled("tree-gru", 256), 2, 4);
  ASSERT_THAT(levels, SizeIs(2));
  EXPECT_EQ(levels[0].barriers, 2) << "the candidate multiplies what the reset gate has let through";
}

TEST(PredictLevel, SmallModelsLeaveProcessorsWithoutColumns) {
  const auto levels = levels_of_pairs(*compiled("tree-lstm-binary", 64), 1, 4);
  EXPECT_DOUBLE_EQ(levels[0].multiply_adds, 8 * 64 * 64 / 64.0) << "64 units, of 132 processors";
}

TEST(PredictLevel, WhatDoesNotFitIsStreamed) {
  EXPECT_THAT(levels_of_pairs(*compiled("tree-lstm-binary", 1024), 1, 4), Each(Field(&LevelWork::streamed, 0)));
  for (const LevelWork& level : levels_of_pairs(*compiled("tree-lstm-binary", 2048), 1, 4)) {
    EXPECT_GT(level.streamed, 0) << "of F, and of ∂F, which reads the same copy";
    EXPECT_GT(predict_level(level, h100_speed(), 4).streaming, 0);
  }
}

TEST(GpuPrediction, IsTheSumOfItsLevelsAndParts) {
  const Dataset data = load_data("binary-trees:leaves=8,samples=6");
  const auto program = compiled("tree-lstm-binary", 128);
  const WeightPlacement placement = place_weights(*program, h100());
  GpuPredictor predictor(*program, placement, h100_speed(), 4);
  double levels = 0;
  each_plan_of_epoch(*program, data.train, 2, {}, 1, [&](const Plan& plan) {
    for (const LevelWork& level : levels_of(*program, placement, plan))
      levels += predict_level(level, h100_speed(), 4).us();
    predictor.add(plan);
  });
  const GpuPrediction p = predictor.mean();
  EXPECT_EQ(p.steps, 3);
  EXPECT_DOUBLE_EQ(p.levels, 6) << "three of F, three of ∂F";
  EXPECT_DOUBLE_EQ(p.rows, 2 * 7 / 3.0);
  EXPECT_NEAR(p.forward.us() + p.backward.us(), levels / 3, 1e-9);
  EXPECT_GT(p.outside, 0);
  EXPECT_GT(p.loading, 0);
  EXPECT_GT(p.update, h100_speed().barrier_us);
  EXPECT_DOUBLE_EQ(p.step_us(), p.forward.us() + p.backward.us() + p.outside + p.loading + p.update);
}

TEST(GpuPrediction, OfInferenceHasNoUpdate) {
  const Dataset data = load_data("binary-trees:leaves=8,samples=2");
  const Model model = find_model("tree-fc").make({.vocabulary = 1000, .hidden = 64});
  const auto program = compile(model, {.training = false});
  const WeightPlacement placement = place_weights(*program, h100());
  GpuPredictor predictor(*program, placement, h100_speed(), 4);
  each_plan_of_epoch(*program, data.train, 2, {}, 1, [&](const Plan& plan) { predictor.add(plan); });
  EXPECT_EQ(predictor.mean().update, 0);
  EXPECT_EQ(predictor.mean().backward.us(), 0);
}

/// Sizes as they are usual, that fit and the next ones that do not.
TEST(LargestHidden, OfAnH100) {
  constexpr int kUsual[] = {384, 512, 768, 1024, 1536, 2048, 3072};
  struct Row {
    const char* model;
    int with_gradients, fp32, bf16, with_shared;
  };
  OnChipTarget registers = h100();
  registers.memories.resize(1);
  const auto largest = [&](const char* model, const OnChipTarget& target, int bytes, bool gradients) {
    int most = 0;
    for (const int hidden : kUsual) {
      const auto program =
          compiled(model, hidden, gradients ? std::vector<std::string>{"lazy"} : std::vector<std::string>{});
      if (fits(place_weights(*program, target, PlacementStrategy::kGatesTogether, bytes))) most = hidden;
    }
    return most;
  };
  for (const Row& row : {Row{"tree-lstm", 768, 1024, 1536, 2048}, Row{"tree-lstm-binary", 512, 768, 1024, 1536}}) {
    EXPECT_EQ(largest(row.model, registers, 4, true), row.with_gradients) << row.model;
    EXPECT_EQ(largest(row.model, registers, 4, false), row.fp32) << row.model;
    EXPECT_EQ(largest(row.model, registers, 2, false), row.bf16) << row.model;
    EXPECT_EQ(largest(row.model, h100(), 2, false), row.with_shared) << row.model;
  }
}

TEST(LargestHidden, IsTheLastThatFits) {
  const auto program_of = [](std::int32_t hidden) { return compiled("tree-lstm-binary", hidden); };
  const OnChipTarget target = cpu_target(2, 1 << 19);
  const std::int32_t hidden = largest_hidden(program_of, target);
  EXPECT_EQ(hidden % 16, 0);
  EXPECT_TRUE(fits(place_weights(*program_of(hidden), target)));
  EXPECT_FALSE(fits(place_weights(*program_of(hidden + 16), target)));
  EXPECT_EQ(largest_hidden(program_of, cpu_target(1, 0)), 0) << "no memory";
  const auto up_to_100 = [&](std::int32_t h) { return h > 100 ? nullptr : program_of(h); };
  EXPECT_EQ(largest_hidden(up_to_100, target), 96) << "there is no larger model";
}

}  // namespace
}  // namespace cavs
