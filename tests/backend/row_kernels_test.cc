#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "backend/kernel_testing.h"

namespace cavs::cpu {
namespace {

constexpr int kWidths[] = {1, 5, 16, 63, 64, 65, 300};
constexpr int kRows = 7;
using Row = std::vector<double>;

class RowKernels : public EveryIsa {
 protected:
  void run(const char* name, const RowArgs& args, int begin = 0, int end = kRows) {
    const RowKernel kernel = find_row_kernel(isa(), name);
    ASSERT_NE(kernel, nullptr) << name;
    kernel(args, begin, end, scratch_);
  }
  Random random_{17, RandomPurpose::kGenerator};
};
CAVS_FOR_EVERY_ISA(RowKernels);

Row softmax(const Row& v) {
  Row y = v;
  for (double& e : y) e = std::exp(e - *std::max_element(v.begin(), v.end()));
  const double total = std::accumulate(y.begin(), y.end(), 0.0);
  for (double& e : y) e /= total;
  return y;
}

struct OneInput {
  const char* name;
  bool scalar;
};

TEST_P(RowKernels, PropagateNotANumber) {
  for (const OneInput& k : {OneInput{"copy", false},
                            {"softmax", false},
                            {"log_softmax", false},
                            {"layer_norm", false},
                            {"sum_features", true},
                            {"mean_features", true},
                            {"max_features", true},
                            {"log_sum_exp", true}})
    for (const int width : kWidths) {
      Matrix x(1, width, random_);
      x.at(0, width / 2) = std::nanf("");
      Matrix y(1, k.scalar ? 1 : width, random_);
      run(k.name, {.in = {x.view()}, .out = y.out(), .attribute = 0.25F}, 0, 1);
      EXPECT_TRUE(std::isnan(y.at(0, k.scalar ? 0 : width / 2))) << k.name << ", width " << width;
    }
}

TEST_P(RowKernels, SoftmaxIsStableForLargeInputs) {
  const std::vector<float> x{1e4F, 1e4F, -1e30F};
  std::vector<float> y(3), log_y(3);
  run("softmax", {.in = {{x.data(), 3, nullptr, 3}}, .out = {y.data(), 3, 3}}, 0, 1);
  run("log_softmax", {.in = {{x.data(), 3, nullptr, 3}}, .out = {log_y.data(), 3, 3}}, 0, 1);
  EXPECT_EQ(y, (std::vector<float>{0.5F, 0.5F, 0.0F}));
  EXPECT_FLOAT_EQ(log_y[0], -0.69314718F);
  EXPECT_FLOAT_EQ(log_y[2], -1e30F);
}

TEST_P(RowKernels, SoftmaxIsAccurateForSmallProbabilities) {
  for (float x = 0; x > -100; x -= 0.37F) {
    const float in[] = {x, 0};
    float y[2];
    run("softmax", {.in = {{in, 2, nullptr, 2}}, .out = {y, 2, 2}}, 0, 1);
    const double exact = std::exp(double{x}) / (1 + std::exp(double{x}));
    EXPECT_NEAR(y[0], exact, exact < 2e-38 ? 2e-38 : 6e-7 * exact) << x;
  }
  const float in[] = {-std::numeric_limits<float>::infinity(), 3, -90};
  float y[3];
  run("softmax", {.in = {{in, 3, nullptr, 3}}, .out = {y, 3, 3}}, 0, 1);
  EXPECT_THAT(y, testing::ElementsAre(0, 1, 0)) << "exactly";
}

TEST_P(RowKernels, SoftmaxMayWorkInPlace) {
  Matrix x(kRows, 65, random_), y(kRows, 65, random_);
  run("softmax", {.in = {x.view()}, .out = y.out()});
  run("softmax", {.in = {x.view()}, .out = x.out()});
  EXPECT_TRUE(same_bits(x.all(), y.all()));
}

TEST_P(RowKernels, TheCrossEntropyOfARowDependsOnThatRowOnly) {
  constexpr int kMany = 37;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const int width : {1, 2, 5, isa().lanes - 1, isa().lanes, isa().lanes + 1}) {
    SCOPED_TRACE(width);
    Matrix x(kMany, width, random_, 5);
    const Matrix dy(kMany, 1, random_);
    x.at(1, 0) = std::nanf("");
    x.at(3, width - 1) = kInfinity;
    x.at(4, 0) = -kInfinity;
    std::vector<std::int32_t> labels(kMany);
    for (int r = 0; r < kMany; ++r) labels[static_cast<std::size_t>(r)] = r == 2 ? -1 : r * 31 % width;
    Matrix loss(kMany, 1, random_), dx = x, loss_alone = loss, dx_alone = x;
    const auto run_rows = [&](Matrix& to_loss, Matrix& to_dx, int begin, int end) {
      run("softmax_cross_entropy", {.in = {x.view()}, .labels = labels.data(), .out = to_loss.out()}, begin, end);
      run("softmax_cross_entropy_grad", {.in = {to_dx.view(), dy.view()}, .labels = labels.data(), .out = to_dx.out()},
          begin, end);
    };
    run_rows(loss, dx, 0, kMany);
    for (int r = 0; r < kMany; ++r) run_rows(loss_alone, dx_alone, r, r + 1);
    EXPECT_TRUE(same_bits(loss.all(), loss_alone.all()));
    EXPECT_TRUE(same_bits(dx.all(), dx_alone.all()));
    EXPECT_TRUE(std::isnan(loss.at(1, 0)));
    EXPECT_EQ(loss.at(2, 0), 0);
  }
}

TEST_P(RowKernels, CrossEntropyInOneCallHasTheBitsOfItsParts) {
  for (const int width : kWidths)
    for (const bool biased : {false, true}) {
      SCOPED_TRACE(testing::Message() << "width " << width << (biased ? " with a bias" : ""));
      const Matrix product(kRows, width, random_, 5), bias(1, width, random_), dy(1, 1, random_);
      Matrix logits = product;
      for (int r = 0; biased && r < kRows; ++r)
        for (int c = 0; c < width; ++c) logits.at(r, c) += bias.at(0, c);
      std::vector<std::int32_t> labels(kRows);
      for (int r = 0; r < kRows; ++r) labels[static_cast<std::size_t>(r)] = r == 2 ? -1 : r * 31 % width;
      Matrix loss(kRows, 1, random_), found_loss(kRows, 1, random_), dx = product;
      const ConstRows same_dy{dy.view().base, 0, nullptr, 1};
      run("softmax_cross_entropy", {.in = {logits.view()}, .labels = labels.data(), .out = loss.out()});
      run("softmax_cross_entropy_grad", {.in = {logits.view(), same_dy}, .labels = labels.data(), .out = dx.out()});
      for (const bool gradient : {false, true}) {
        Matrix tile = product;
        isa().cross_entropy({.logits = tile.out(),
                             .bias = biased ? bias.view().base : nullptr,
                             .labels = labels.data(),
                             .loss = found_loss.out(),
                             .gradient = gradient,
                             .dy = dy.at(0, 0)},
                            0, kRows);
        EXPECT_TRUE(same_bits(found_loss.all(), loss.all()));
        if (gradient) {
          EXPECT_TRUE(same_bits(tile.all(), dx.all()));
        }
      }
    }
}

/// Vertices with 3, 0, 1, 2 and 0 children.
const std::vector<std::int32_t> kSegments{0, 3, 3, 4, 6, 6};
constexpr int kVertices = 5, kEdges = 6;

TEST_P(RowKernels, SoftmaxOverChildrenSumsToOneForEachFeature) {
  for (const int width : kWidths) {
    SCOPED_TRACE(width);
    Matrix x(kEdges, width, random_, 1);
    x.at(0, 0) = 1e4F;  // at a vertex with several children, and at one with one child
    x.at(3, 0) = -1e30F;
    Matrix y(kEdges, width, random_, 2);
    run("softmax_children", {.in = {x.view()}, .segments = kSegments.data(), .out = y.out()}, 0, kVertices);
    for (int r = 0; r < kVertices; ++r)
      for (int c = 0; c < width; ++c) {
        Row children;
        const int first = kSegments[static_cast<std::size_t>(r)], last = kSegments[static_cast<std::size_t>(r) + 1];
        for (int e = first; e < last; ++e) children.push_back(x.at(e, c));
        if (!children.empty()) children = softmax(children);
        for (int e = first; e < last; ++e) ASSERT_NEAR(y.at(e, c), children[static_cast<std::size_t>(e - first)], 2e-6);
      }
    run("softmax_children", {.in = {x.view()}, .segments = kSegments.data(), .out = x.out()}, 0, kVertices);
    for (int e = 0; e < kEdges; ++e)
      for (int c = 0; c < width; ++c) ASSERT_EQ(x.at(e, c), y.at(e, c)) << "in place";
  }
}

TEST_P(RowKernels, SoftmaxOverChildrenHasTheSameBitsForContiguousRows) {
  const std::vector<std::int32_t> segments{0, 1, 1, 14, 30, 71};
  const auto vertices = static_cast<int>(segments.size()) - 1, edges = segments.back();
  Matrix side_by_side(edges, 1, random_), apart(edges, 1, random_, 2), y(edges, 1, random_), y_apart = apart;
  for (int e = 0; e < edges; ++e) apart.at(e, 0) = side_by_side.at(e, 0) *= 4;
  run("softmax_children", {.in = {side_by_side.view()}, .segments = segments.data(), .out = y.out()}, 0, vertices);
  run("softmax_children", {.in = {apart.view()}, .segments = segments.data(), .out = y_apart.out()}, 0, vertices);
  for (int e = 0; e < edges; ++e) EXPECT_EQ(y.at(e, 0), y_apart.at(e, 0)) << e;
}

TEST_P(RowKernels, DropoutDependsOnItsKeyAndNotOnTheRow) {
  const std::vector<std::uint32_t> samples{0, 0, 1, 0}, vertices{0, 1, 0, 0};
  const RandomKey key{.seed = 9, .epoch = 2, .node = 4, .sample = samples.data(), .vertex = vertices.data()};
  const int width = 1001;
  Matrix mask(4, width, random_);
  run("dropout_mask", {.out = mask.out(), .attribute = 0.25F, .random = key}, 0, 4);
  int dropped = 0;
  for (int c = 0; c < width; ++c) {
    ASSERT_EQ(mask.at(0, c), mask.at(3, c));
    ASSERT_TRUE(mask.at(0, c) == 0 || mask.at(0, c) == 1 / 0.75F);
    ASSERT_EQ(mask.at(1, c), dropout_factor(key, 1, c, 0.25F));
    dropped += mask.at(0, c) == 0;
  }
  EXPECT_NEAR(dropped, 250, 60);
  const auto row_of = [&](int r) {
    return std::vector<float>(mask.all().begin() + r * width, mask.all().begin() + (r + 1) * width);
  };
  EXPECT_NE(row_of(0), row_of(1));
  EXPECT_NE(row_of(0), row_of(2));
}

TEST(RowKernelTable, HasNoUnknownNames) {
  EXPECT_EQ(find_row_kernel("matmul"), nullptr);
  EXPECT_NE(find_row_kernel("softmax"), nullptr);
}

}  // namespace
}  // namespace cavs::cpu
