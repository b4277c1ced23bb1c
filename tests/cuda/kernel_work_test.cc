// Counts, predictions and measurements for the kernels of a step.

#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "backend/cuda/entries/tile_shape.h"
#include "cuda/engine_case.h"
#include "helpers/trained.h"
#include "helpers/zoo_test.h"
#include "measure/roofline.h"

namespace cavs::cuda {
namespace {

using KernelWorkOfSteps = CudaBatched;

TrainOptions with_times(TrainOptions options) {
  options.session.time_kernels = true;
  return options;
}

const KernelWork& of(const KernelWorks& works, KernelKind kind) { return works[static_cast<std::size_t>(kind)]; }

/// The loss is |x W|^2 for 40 rows of 5 numbers, where W is 5 x 70. In the second measured step, all tiles are 64 x 64.
TEST_F(KernelWorkOfSteps, MatchesAStepComputedByHand) {
  if (!is_standin()) GTEST_SKIP() << "the peaks of 3 processors";
  constexpr int kRows = 40, kDepth = 5, kColumns = 70, kNumbers = kDepth * kColumns;
  Model model;
  const auto W = model.parameter("W", {kDepth, kColumns});
  model.vertex_function("f", [&](Vertex& v) { v.loss(sum_features(square(matmul(v.pull("x", kDepth), W)))); });
  GraphSet graphs({.types = {"f"}, .float_ports = {{"x", kDepth}}});
  for (int row = 0; row < kRows; ++row) {
    InputGraph graph;
    graph.types = {0};
    graph.child_offsets = {0, 0};
    graph.float_pulls = {{1, 2, 3, 4, 5}};
    graph.float_present = {{1}};
    graphs.add(graph);
  }
  TrainOptions options = with_times(options_of("adagrad"));
  options.batch_size = kRows;
  Trainer trainer(model, graphs, options);
  trainer.step();
  const KernelWorks works = trainer.step().statistics.kernels;

  const KernelWork& product = of(works, KernelKind::kProduct);
  EXPECT_EQ(product.launches, 1);
  // The square is computed in the product's registers. A loop counts each instruction of its program, here a read and a
  // product, and writes one number.
  EXPECT_EQ(product.flops, (2 * kDepth + 2) * kRows * kColumns);
  EXPECT_EQ(product.tile_bytes, 4 * (kDepth * (kRows * 2 + kColumns * 1) + 2 * kRows * kColumns));
  EXPECT_EQ(product.bytes, 4 * (kDepth * (kRows + kColumns) + 2 * kRows * kColumns));
  const KernelWork& gradient = of(works, KernelKind::kWeightGradient);
  EXPECT_EQ(gradient.launches, 1);
  EXPECT_EQ(gradient.flops, 2 * kRows * kDepth * kColumns);
  EXPECT_EQ(gradient.tile_bytes, 4 * (kRows * (kDepth * 2 + kColumns * 1) + kNumbers));
  EXPECT_EQ(gradient.bytes, 4 * (kRows * (kDepth + kColumns) + kNumbers));
  const KernelWork& update = of(works, KernelKind::kUpdate);
  EXPECT_EQ(update.launches, 3) << "clears gradients, sums squares, updates the parameter";
  EXPECT_EQ(update.bytes, 4 * (kNumbers + kNumbers * 5)) << "reads and writes parameter and state";
  EXPECT_EQ(of(works, KernelKind::kSoftmax).launches, 0);
  // 0.8 us between launches, 1.3 us in a product, and the L2 traffic of 3 processors, which is slowest.
  constexpr double kL2 = 3 * 1.755 * 24;
  EXPECT_NEAR(1e3 * product.predicted_ms, 2.1 + product.tile_bytes / kL2 / 1e3, 1e-6);
}

/// All sizes of tiles are used in turn until all are measured. Later runs use these costs.
TEST_F(KernelWorkOfSteps, MeasuresTilesForTheNextRun) {
  const ZooCase zoo = zoo_case("gru", 6, 0);
  const auto tiles_of = [](Trainer& trainer) { return trainer.session().describe().back(); };
  const std::string predicted =
      "sizes of tiles by predicted costs, until a run with time_kernels (the roofline of bench) measures them";
  const std::string measured = "sizes of tiles by costs measured on this GPU";
  {
    Trainer trainer(zoo.model, zoo.graphs, with_times(options_of("sgd")));
    for (int step = 0; step < 2 * kTileSizes; ++step) {
      EXPECT_EQ(tiles_of(trainer), predicted);
      trainer.step();
    }
    EXPECT_EQ(tiles_of(trainer), measured);
  }
  TrainOptions options = options_of("sgd");
  Trainer next(zoo.model, zoo.graphs, options);
  EXPECT_EQ(tiles_of(next), measured);
  options.session.precision = Precision::kTf32;
  Trainer other(zoo.model, zoo.graphs, options);
  EXPECT_EQ(tiles_of(other), predicted);
}

/// For all models that a GPU's default engine trains: each launch counts once, and no bit differs.
class KernelWorkOfModel : public CudaBatched, public testing::WithParamInterface<std::string> {};
INSTANTIATE_TEST_SUITE_P(Zoo, KernelWorkOfModel, testing::ValuesIn(zoo_names()),
                         [](const auto& model) { return name_of(model.param); });

TEST_P(KernelWorkOfModel, CountsEveryLaunch) {
  const ZooCase zoo = zoo_case(GetParam(), 6, 0.2);
  Trainer measured(zoo.model, zoo.graphs, with_times(options_of("adam"))),
      plain(zoo.model, zoo.graphs, options_of("adam"));
  for (int step = 0; step < 3; ++step) {
    const RunStatistics s = measured.step(true).statistics;
    plain.step();
    double launches = 0, ms = 0;
    for (const KernelWork& work : s.kernels) {
      launches += work.launches;
      ms += work.ms;
      EXPECT_EQ(work.launches > 0, work.ms > 0);
      EXPECT_EQ(work.launches > 0, work.predicted_ms > 0);
    }
    EXPECT_EQ(launches, static_cast<double>(s.launches));
    EXPECT_EQ(s.graph_launches, 0);
    if (is_standin()) {
      EXPECT_GE(ms, launches) << "the stand-in's clock counts at least one per launch";
    }
  }
  expect_same_parameters(measured, plain, zoo.name);
}

TEST_F(KernelWorkOfSteps, IsSummedByTheRoofline) {
  const ZooCase zoo = zoo_case("fixed-lstm", 6, 0);
  for (const bool training : {true, false}) {
    const Roofline r =
        measure_roofline(zoo.model, zoo.graphs, {.training = training, .epochs = 2, .train = options_of("sgd")});
    ASSERT_EQ(r.kinds.size(), kKernelKinds.size());
    double flops = 0, ms = 0;
    for (const Roofline::Kind& kind : r.kinds) {
      flops += kind.flops;
      ms += kind.ms;
    }
    EXPECT_DOUBLE_EQ(r.flops, flops);
    EXPECT_DOUBLE_EQ(r.product_ms, ms);
    EXPECT_EQ(r.kinds[static_cast<std::size_t>(KernelKind::kUpdate)].calls > 0, training);
    EXPECT_GT(r.kinds[static_cast<std::size_t>(KernelKind::kProduct)].flops, 0);
    EXPECT_GT(r.predicted_ms, 0);
    EXPECT_GT(r.peak_gflops, 0);
  }
}

}  // namespace
}  // namespace cavs::cuda
