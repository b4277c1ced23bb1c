// The device selects the new engine, which trains.

#include <gtest/gtest.h>

#include "cavs/trainer.h"
#include "execute/engines.h"
#include "execute/session_access.h"
#include "helpers/compare.h"
#include "helpers/models.h"

namespace cavs::inline v0_1 {

extern int beads_runs;

namespace {

Trainer trainer(const GraphSet& samples, const SessionOptions& session) {
  return {small_model("tree-lstm"), samples, {.batch_size = 4, .gradient_norm = true, .session = session}};
}

TEST(NewEngine, IsListed) {
  EXPECT_EQ(device_named("abacus:3"), (Device{DeviceKind::kAbacus, 3}));
  EXPECT_EQ(to_string(EngineKind::kBeads), "beads");
  EXPECT_EQ(find_engine({}, DeviceKind::kAbacus).engine, EngineKind::kBeads);
  EXPECT_EQ(find_engine({}, DeviceKind::kCpu).engine, EngineKind::kBatched);
}

TEST(NewEngine, TrainsAStep) {
  const GraphSet samples = random_trees(8, 50, 4, 6);
  Trainer found = trainer(samples, {.device = device_named("abacus:1")}),
          expected = trainer(samples, {.engine = EngineKind::kReference});
  Session::Impl& session = detail::SessionAccess::impl(found.session());
  EXPECT_EQ(session.program->target.slice_columns, 10) << "compiled for the device";
  EXPECT_EQ(session.engine->describe(), std::vector<std::string>{"abacus 1"});
  for (int step = 0; step < 3; ++step) {
    const TrainStep ours = found.step(), theirs = expected.step();
    EXPECT_GT(ours.gradient_norm, 0);
    EXPECT_EQ(ours.loss, theirs.loss);
  }
  EXPECT_GT(beads_runs, 0);
  for (int p = 0; p < expected.parameters().size(); ++p)
    expect_same_bits(found.parameters().values(p), expected.parameters().values(p), expected.parameters().info(p).name);
}

}  // namespace
}  // namespace cavs::inline v0_1
