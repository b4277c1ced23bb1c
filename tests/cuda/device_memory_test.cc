// Values that are newer on a GPU than on the host reach every reader. The stand-in takes the place of one GPU or
// several.

#include <gmock/gmock.h>

#include <cmath>

#include "cavs/error.h"
#include "cavs/evaluator.h"
#include "cavs/trainer.h"
#include "cuda/standin/stand_in.h"
#include "helpers/evaluate.h"
#include "helpers/models.h"
#include "helpers/trained.h"

namespace cavs::cuda {
namespace {

using testing::ThrowsMessage;

const SessionOptions kOnGpu{.device = {DeviceKind::kCuda}};

class DevicesMemory : public StandInTest {};

TrainOptions options_on(const SessionOptions& session) {
  TrainOptions options;
  options.batch_size = 2;
  options.session = session;
  options.optimizer = optimizer_defaults("adam");
  return options;
}

/// Gradients of a backward pass may be read after later passes, or never.
TEST_F(DevicesMemory, LeaveGradientsWhereTheyAreUntilSomebodyReadsThem) {
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);
  const Bench bench(zoo.model, zoo.graphs);
  const std::vector<std::int32_t> samples[] = {{0, 1, 2}, {3, 4, 5}};
  Session session(bench.program, bench.parameters, kOnGpu);
  std::vector<Gradients> left(4, Gradients(*bench.parameters));
  for (std::size_t k = 0; k < left.size(); ++k) {
    cavs::Run run = session.forward(*bench.bound, samples[k % 2]);
    run.backward(left[k]);
  }
  for (const std::size_t k : {3U, 0U, 1U})
    expect_same_gradient_bits(left[k], bench.run(samples[k % 2], kOnGpu).gradients, "backward " + std::to_string(k));
}

TEST_F(DevicesMemory, TellsTheNormOfGradientsWhereItIsWanted) {
  const ZooCase zoo = zoo_case("tree-lstm", 4, 0);
  TrainOptions options = options_on(kOnGpu);
  EXPECT_TRUE(std::isnan(Trainer(zoo.model, zoo.graphs, options).step().gradient_norm));
  options.gradient_norm = true;
  EXPECT_GT(Trainer(zoo.model, zoo.graphs, options).step().gradient_norm, 0);
}

/// Several GPUs in one process: each trains by itself, and one goes on with what the other has left.
TEST_F(DevicesMemory, WorkOnSeveralDevices) {
  if (!is_standin()) GTEST_SKIP() << "needs two GPUs";
  const Variable like("CAVS_STANDIN", "devices=2");
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);
  const SessionOptions second{.device = {DeviceKind::kCuda, 1}};
  Trainer a(zoo.model, zoo.graphs, options_on(kOnGpu)), b(zoo.model, zoo.graphs, options_on(second));
  for (int step = 0; step < 2; ++step) a.step(), b.step();
  EXPECT_GE(launches(0), 2);
  EXPECT_GE(launches(1), 2);
  expect_same_parameters(a, b);
  const double expected = evaluate(zoo.model, a.shared_parameters(), zoo.graphs, kOnGpu).loss;
  EXPECT_EQ(evaluate(zoo.model, a.shared_parameters(), zoo.graphs, second).loss, expected);
  EXPECT_THAT(
      [&] {
        Trainer(zoo.model, zoo.graphs, options_on({.device = {DeviceKind::kCuda, 2}}));
      },
      ThrowsMessage<UserError>("there is no device cuda:2; CUDA shows 2 GPUs, from cuda:0 on"));
}

}  // namespace
}  // namespace cavs::cuda
