// The new engine is found by its name, and trains.

#include <gtest/gtest.h>

#include "cavs/trainer.h"
#include "execute/engines.h"
#include "helpers/compare.h"
#include "helpers/models.h"

namespace cavs {

extern int stub_runs;

namespace {

Trainer trainer(const GraphSet& samples, EngineKind engine) {
  return {small_model("tree-lstm"), samples, {.batch_size = 4, .gradient_norm = true, .session = {.engine = engine}}};
}

TEST(NewEngine, IsListed) {
  EXPECT_EQ(option_named<EngineKind>("stub"), EngineKind::kStub);
  EXPECT_EQ(to_string(EngineKind::kStub), "stub");
  EXPECT_EQ(engine_def(EngineKind::kStub).name, "stub");
}

TEST(NewEngine, TrainsAStep) {
  const GraphSet samples = random_trees(8, 50, 4, 6);
  Trainer found = trainer(samples, EngineKind::kStub), expected = trainer(samples, EngineKind::kReference);
  for (int step = 0; step < 3; ++step) {
    const TrainStep ours = found.step(), theirs = expected.step();
    EXPECT_GT(ours.gradient_norm, 0);
    EXPECT_EQ(ours.loss, theirs.loss);
  }
  EXPECT_GT(stub_runs, 0);
  for (int p = 0; p < expected.parameters().size(); ++p)
    expect_same_bits(found.parameters().values(p), expected.parameters().values(p), expected.parameters().info(p).name);
}

}  // namespace
}  // namespace cavs
