#include "measure/breakdown.h"

#include <gtest/gtest.h>

#include <numeric>

#include "helpers/models.h"

namespace cavs {
namespace {

struct BreakdownWork {
  Model model = small_model("tree-lstm");
  GraphSet graphs = random_trees(10, 50, 5);
  BenchmarkOptions options = [] {
    BenchmarkOptions o;
    o.epochs = 2;
    o.train.batch_size = 4;
    return o;
  }();
};

TEST(Breakdown, PartsSumToTheWhole) {
  BreakdownWork work;
  for (bool training : {true, false}) {
    work.options.training = training;
    const Breakdown b = measure_breakdown(work.model, work.graphs, work.options, false);
    EXPECT_NEAR(std::accumulate(b.ms.begin(), b.ms.end(), 0.0), b.total_ms, 1e-9);
    double percent = 0;
    for (std::size_t p = 0; p < b.ms.size(); ++p) {
      EXPECT_GE(b.ms[p], 0) << kPartNames[p];
      percent += b.percent(p);
    }
    EXPECT_NEAR(percent, 100, 1e-9);
    EXPECT_GT(b.at(StepPart::kConstruction), 0);
    EXPECT_GT(b.at(StepPart::kCompute), 0);
    EXPECT_EQ(b.at(StepPart::kUpdate) > 0, training);
    EXPECT_EQ(b.rounds, 2);
    EXPECT_NEAR(b.samples_per_second * b.epoch_ms, 10 * 1e3, 1e-6);
  }
}

TEST(Breakdown, ComparesWithOneVertexAtATimeOnRequest) {
  const BreakdownWork work;
  EXPECT_EQ(measure_breakdown(work.model, work.graphs, work.options, false).serial_ratio, 0);
  EXPECT_GT(measure_breakdown(work.model, work.graphs, work.options, true).serial_ratio, 0);
}

TEST(Breakdown, IsDrawnInPercent) {
  const Breakdown b{.ms = {1, 2, 3, 4, 10}, .total_ms = 20};
  const BarChart chart = breakdown_chart("t", "leaves", {32, 64}, {{"train", {b, b}}, {"infer", {b, b}}});
  EXPECT_TRUE(chart.stacked);
  EXPECT_EQ(chart.groups, (std::vector<std::string>{"32", "64"}));
  ASSERT_EQ(chart.panels.size(), 2);
  EXPECT_EQ(chart.panels[1].name, "infer");
  EXPECT_EQ(chart.panels[1].values, (std::vector<std::vector<double>>{{5, 5}, {10, 10}, {15, 15}, {20, 20}, {50, 50}}));
  EXPECT_EQ(chart.panels[1].notes, (std::vector<std::string>{"20 ms", "20 ms"}));
}

}  // namespace
}  // namespace cavs
