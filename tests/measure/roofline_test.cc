#include "measure/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "backend/cpu/kernels.h"
#include "cavs/data.h"
#include "cavs/models.h"
#include "measure/products_of_epoch.h"

namespace cavs {
namespace {

using inspect::Product;
using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr int kHidden = 8, kClasses = 5;
/// An inner vertex of tree-fc multiplies the states of both children. A root, the only vertex with a label, also
/// multiplies its own state.
constexpr double kProductFlops = 30 * 4.0 * kHidden * kHidden + 10 * 2.0 * kHidden * kClasses;

struct RooflineWork {
  Dataset data = load_data("binary-trees:leaves=4,samples=10");  // three inner vertices per tree
  Model model =
      find_model("tree-fc").make({.vocabulary = data.rows("word"), .hidden = kHidden, .classes = data.classes});
  BenchmarkOptions options = [] {
    BenchmarkOptions o;
    o.epochs = 2;
    o.train.batch_size = 4;
    return o;
  }();
};

TEST(Products, AreListedPerMinibatchWithTheirRealRows) {
  const RooflineWork work;
  const auto program = compile(work.model, {.training = false});
  const auto epoch = products_of_epoch(program, work.data.train, 4);
  ASSERT_THAT(epoch, SizeIs(3));
  std::vector<std::int32_t> rows;
  for (const Product& p : epoch[0]) {
    EXPECT_EQ(p.kind, Product::Kind::kForward);
    EXPECT_EQ(p.k, kHidden);
    EXPECT_EQ(p.n, p.rows == 12 ? kClasses : kHidden);
    rows.push_back(p.rows);
  }
  EXPECT_THAT(rows, ElementsAre(8, 8, 4, 4, 12)) << "two levels, and the lazy head of all vertices";
  EXPECT_EQ(epoch[2].back().rows, 6) << "the last minibatch has two trees";
}

TEST(Products, OfTrainingAreThreeTimesAsManyAsOfInference) {
  const RooflineWork work;
  const auto program = compile(work.model, {.pushes = std::vector<std::string>{}});
  std::map<Product::Kind, double> flops;
  for (const auto& minibatch : products_of_epoch(program, work.data.train, 4))
    for (const Product& p : minibatch) flops[p.kind] += p.flops();
  EXPECT_THAT(flops, SizeIs(3));
  for (const auto& [kind, sum] : flops) EXPECT_DOUBLE_EQ(sum, kProductFlops);
}

TEST(Products, OfATiledSoftmaxAreListedPerTile) {
  constexpr int kMany = 300;
  const Dataset data = load_data("binary-trees:leaves=4,samples=600");
  const Model model =
      find_model("tree-fc").make({.vocabulary = data.rows("word"), .hidden = kHidden, .classes = kMany});
  const auto program = compile(model, {.pushes = std::vector<std::string>{}});
  const auto epoch = products_of_epoch(program, data.train, 600);
  std::map<Product::Kind, std::vector<std::int32_t>> rows;
  for (const Product& p : epoch[0])
    if (p.k == kMany || p.n == kMany) rows[p.kind].push_back(p.rows);
  for (const Product::Kind kind : {Product::Kind::kForward, Product::Kind::kBackward, Product::Kind::kWeightGradient})
    EXPECT_THAT(rows[kind], ElementsAre(256, 256, 88));
}

TEST(Products, HaveOneRowWithoutBatching) {
  const RooflineWork work;
  const auto program = compile(work.model, {.training = false});
  const auto epoch = products_of_epoch(program, work.data.train, 4, "serial");
  for (const Product& p : epoch[0]) EXPECT_EQ(p.rows, p.n == kClasses ? 12 : 1);
}

TEST(Roofline, SumsTheProductsOfAStep) {
  const RooflineWork work;
  const Roofline r = measure_roofline(work.model, work.data.train, work.options);
  EXPECT_EQ(r.rounds, 2);
  double flops = 0, ms = 0;
  for (const Roofline::Kind& kind : r.kinds) {
    EXPECT_NEAR(kind.flops, kProductFlops / 3, 1e-6) << kind.name;
    EXPECT_GT(kind.ms, 0) << kind.name;
    flops += kind.flops;
    ms += kind.ms;
  }
  EXPECT_NEAR(r.flops, flops, 1e-6);
  EXPECT_NEAR(r.product_ms, ms, 1e-9);
  EXPECT_NEAR(r.product_fraction, ms / r.step_ms, 1e-9);
  EXPECT_NEAR(r.gflops, flops / r.step_ms / 1e6, 1e-9);
  EXPECT_NEAR(r.fraction_of_peak, r.gflops / r.peak_gflops, 1e-9);
  EXPECT_GT(r.peak_gflops, r.gflops) << "the peak is measured with multiply-adds on registers";
  EXPECT_GE(r.median_step_ms, r.step_ms);
}

TEST(Roofline, ComparesBf16WithTheBf16Peak) {
  if (cpu::bf16_instruction_set().empty()) GTEST_SKIP() << "this processor has no instructions for bf16";
  RooflineWork work;
  const Roofline fp32 = measure_roofline(work.model, work.data.train, work.options);
  EXPECT_EQ(fp32.instructions, cpu::instruction_set());
  work.options.train.session.precision = Precision::kBf16;
  const Roofline bf16 = measure_roofline(work.model, work.data.train, work.options);
  EXPECT_EQ(bf16.instructions, cpu::bf16_instruction_set());
  EXPECT_GT(bf16.peak_gflops, bf16.gflops);
}

TEST(Roofline, OfInferenceHasNoGradients) {
  RooflineWork work;
  work.options.training = false;
  const Roofline r = measure_roofline(work.model, work.data.train, work.options);
  EXPECT_NEAR(r.kinds[0].calls, 5, 1e-9);
  EXPECT_EQ(r.kinds[1].calls, 0);
  EXPECT_EQ(r.kinds[2].flops, 0);
  EXPECT_EQ(r.kinds[2].ms, 0);
}

TEST(Roofline, MeasuresATeam) {
  RooflineWork work;
  work.options.train.session.threads = 2;
  const Roofline r = measure_roofline(work.model, work.data.train, work.options);
  EXPECT_NEAR(r.flops, kProductFlops, 1e-6);
  EXPECT_GT(r.product_ms, 0);
}

}  // namespace
}  // namespace cavs
