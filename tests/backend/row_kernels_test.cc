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

Row row(const ConstRows& x, int r) {
  Row v(static_cast<std::size_t>(x.width));
  for (int c = 0; c < x.width; ++c) v[static_cast<std::size_t>(c)] = element(x, r, c);
  return v;
}
double sum(const Row& v) { return std::accumulate(v.begin(), v.end(), 0.0); }
double mean(const Row& v) { return sum(v) / static_cast<double>(v.size()); }
double largest(const Row& v) { return *std::max_element(v.begin(), v.end()); }
Row softmax(const Row& v) {
  Row y = v;
  for (double& e : y) e = std::exp(e - largest(v));
  const double total = sum(y);
  for (double& e : y) e /= total;
  return y;
}
template <typename F>
Row each(Row v, F f) {
  for (double& e : v) e = f(e);
  return v;
}
Row normalised(const Row& v, double epsilon) {
  const double m = mean(v), variance = mean(each(v, [=](double e) { return (e - m) * (e - m); }));
  return each(v, [=](double e) { return (e - m) / std::sqrt(variance + epsilon); });
}
void expect_row(const Matrix& y, int r, const Row& expected, double tolerance = 3e-6) {
  for (std::size_t c = 0; c < expected.size(); ++c)
    ASSERT_NEAR(y.at(r, static_cast<int>(c)), expected[c], tolerance * (1 + std::abs(expected[c])))
        << "row " << r << " column " << c;
}

struct RowByRow {
  const char* name;
  bool scalar;
  Row (*expected)(const Row&);
};
const RowByRow kOneInput[] = {
    {"copy", false, [](const Row& x) { return x; }},
    {"softmax", false, softmax},
    {"log_softmax", false, [](const Row& x) { return each(softmax(x), [](double e) { return std::log(e); }); }},
    {"sum_features", true, [](const Row& x) { return Row{sum(x)}; }},
    {"mean_features", true, [](const Row& x) { return Row{mean(x)}; }},
    {"max_features", true, [](const Row& x) { return Row{largest(x)}; }},
    {"log_sum_exp", true,
     [](const Row& x) { return Row{std::log(sum(each(x, [](double e) { return std::exp(e); })))}; }},
    {"layer_norm", false, [](const Row& x) { return normalised(x, 0.25F); }},
};

TEST_P(RowKernels, OfOneInputAgreeWithPlainLoops) {
  for (const RowByRow& k : kOneInput)
    for (const int width : kWidths) {
      SCOPED_TRACE(testing::Message() << k.name << ", width " << width);
      const Matrix x(kRows, width, random_, 3);
      const auto index = random_index(kRows, kRows, random_);
      Matrix y(kRows, k.scalar ? 1 : width, random_, 1);
      for (const std::int32_t* i : {static_cast<const std::int32_t*>(nullptr), index.data()}) {
        run(k.name, {.in = {x.view(i)}, .out = y.out(), .attribute = 0.25F});
        for (int r = 0; r < kRows; ++r) expect_row(y, r, k.expected(row(x.view(i), r)));
      }
    }
}

TEST_P(RowKernels, GiveARowTheSameBitsAloneAndAmongOthers) {
  for (const RowByRow& k : kOneInput)
    for (const int width : kWidths) {
      const Matrix x(kRows, width, random_);
      Matrix together(kRows, k.scalar ? 1 : width, random_), alone = together;
      run(k.name, {.in = {x.view()}, .out = together.out(), .attribute = 0.25F});
      for (int r = 0; r < kRows; ++r) run(k.name, {.in = {x.view()}, .out = alone.out(), .attribute = 0.25F}, r, r + 1);
      EXPECT_TRUE(same_bits(together.all(), alone.all())) << k.name << ", width " << width;
    }
}

TEST_P(RowKernels, PropagateNotANumber) {
  for (const RowByRow& k : kOneInput)
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

TEST_P(RowKernels, DotAgreesWithPlainLoops) {
  for (const int width : kWidths) {
    const Matrix a(kRows, width, random_), b(kRows, width, random_, 1);
    Matrix y(kRows, 1, random_);
    run("dot", {.in = {a.view(), b.view()}, .out = y.out()});
    for (int r = 0; r < kRows; ++r) {
      const Row x = row(a.view(), r), z = row(b.view(), r);
      expect_row(y, r, {std::inner_product(x.begin(), x.end(), z.begin(), 0.0)});
    }
  }
}

TEST_P(RowKernels, LayerNormGradientAgreesWithItsFormula) {
  for (const int width : kWidths) {
    const Matrix x(kRows, width, random_), dy(kRows, width, random_);
    Matrix dx(kRows, width, random_);
    run("layer_norm_grad", {.in = {x.view(), dy.view()}, .out = dx.out(), .attribute = 0.01F});
    for (int r = 0; r < kRows; ++r) {
      const Row xs = row(x.view(), r), d = row(dy.view(), r), y = normalised(xs, 0.01F);
      const double m = mean(xs),
                   deviation = std::sqrt(mean(each(xs, [=](double e) { return (e - m) * (e - m); })) + 0.01F);
      Row products = d, expected = d;
      for (std::size_t c = 0; c < d.size(); ++c) products[c] *= y[c];
      for (std::size_t c = 0; c < d.size(); ++c) expected[c] = (d[c] - mean(d) - y[c] * mean(products)) / deviation;
      expect_row(dx, r, expected, 1e-5);
    }
  }
}

TEST_P(RowKernels, MaxFeaturesGradientGoesToTheFirstLargest) {
  const std::vector<float> x{1, 3, 2, 3}, y{3}, dy{0.5F};
  std::vector<float> dx(4, -1);
  run("max_features_grad",
      {.in = {{x.data(), 4, nullptr, 4}, {y.data(), 1, nullptr, 1}, {dy.data(), 1, nullptr, 1}},
       .out = {dx.data(), 4, 4}},
      0, 1);
  EXPECT_EQ(dx, (std::vector<float>{0, 0.5F, 0, 0}));
}

TEST_P(RowKernels, SoftmaxCrossEntropyAndItsGradientAgreeWithPlainLoops) {
  for (const int width : kWidths) {
    SCOPED_TRACE(width);
    const Matrix x(kRows, width, random_), dy(kRows, 1, random_);
    Matrix loss(kRows, 1, random_), dx(kRows, width, random_);
    std::vector<std::int32_t> labels(kRows);
    for (int r = 0; r < kRows; ++r) labels[static_cast<std::size_t>(r)] = r == 2 ? -1 : r * 31 % width;
    run("softmax_cross_entropy", {.in = {x.view()}, .labels = labels.data(), .out = loss.out()});
    run("softmax_cross_entropy_grad", {.in = {x.view(), dy.view()}, .labels = labels.data(), .out = dx.out()});
    for (int r = 0; r < kRows; ++r) {
      Row p = softmax(row(x.view(), r));
      const int label = labels[static_cast<std::size_t>(r)];
      expect_row(loss, r, {label < 0 ? 0 : -std::log(p[static_cast<std::size_t>(label)])});
      if (label >= 0) p[static_cast<std::size_t>(label)] -= 1;
      expect_row(dx, r, each(p, [&](double e) { return label < 0 ? 0 : e * dy.at(r, 0); }));
    }
  }
}

TEST_P(RowKernels, ARowsCrossEntropyDependsOnTheRowAlone) {
  constexpr int kMany = 37;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const int width : {1, 2, 5, isa().lanes - 1, isa().lanes, isa().lanes + 1}) {
    SCOPED_TRACE(width);
    Matrix x(kMany, width, random_, 5);
    const Matrix dy(kMany, 1, random_);
    x.at(1, 0) = std::nanf(""), x.at(3, width - 1) = kInfinity, x.at(4, 0) = -kInfinity;
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

TEST_P(RowKernels, CrossEntropyInOneGoHasTheBitsOfItsParts) {
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

TEST_P(RowKernels, ChildrenAreFoldedInOrderAndNoChildrenGiveZero) {
  for (const int width : kWidths) {
    SCOPED_TRACE(width);
    const Matrix x(kEdges, width, random_);
    const std::vector<std::int32_t> index{4, 0, 4, -1, 2, 1};
    Matrix total(kVertices, width, random_), average(kVertices, width, random_), max(kVertices, width, random_);
    for (const std::int32_t* i : {static_cast<const std::int32_t*>(nullptr), index.data()}) {
      const ConstRows view = x.view(i);
      run("sum_children", {.in = {view}, .segments = kSegments.data(), .out = total.out()}, 0, kVertices);
      run("mean_children", {.in = {view}, .segments = kSegments.data(), .out = average.out()}, 0, kVertices);
      run("max_children", {.in = {view}, .segments = kSegments.data(), .out = max.out()}, 0, kVertices);
      for (int r = 0; r < kVertices; ++r)
        for (int c = 0; c < width; ++c) {
          const int first = kSegments[static_cast<std::size_t>(r)], last = kSegments[static_cast<std::size_t>(r) + 1];
          float s = first == last ? 0 : element(view, first, c), m = s;
          for (int e = first + 1; e < last; ++e) s += element(view, e, c), m = std::max(m, element(view, e, c));
          ASSERT_EQ(total.at(r, c), s);
          ASSERT_EQ(average.at(r, c), first == last ? 0 : s / static_cast<float>(last - first));
          ASSERT_EQ(max.at(r, c), m);
        }
    }
  }
}

TEST_P(RowKernels, GradientsOfChildrenHaveOneRowAnEdge) {
  for (const int width : kWidths) {
    SCOPED_TRACE(width);
    Matrix x(kEdges, width, random_);
    x.at(2, 0) = x.at(0, 0) = 5;  // a tie: the first takes it
    const Matrix dy(kVertices, width, random_);
    Matrix y(kVertices, width, random_), max(kEdges, width, random_), average(kEdges, width, random_);
    run("max_children", {.in = {x.view()}, .segments = kSegments.data(), .out = y.out()}, 0, kVertices);
    run("max_children_grad", {.in = {x.view(), y.view(), dy.view()}, .segments = kSegments.data(), .out = max.out()}, 0,
        kVertices);
    run("mean_children_grad", {.in = {dy.view()}, .segments = kSegments.data(), .out = average.out()}, 0, kVertices);
    for (int r = 0; r < kVertices; ++r)
      for (int c = 0; c < width; ++c) {
        const int first = kSegments[static_cast<std::size_t>(r)], last = kSegments[static_cast<std::size_t>(r) + 1];
        bool taken = false;
        for (int e = first; e < last; ++e) {
          const bool takes = !taken && x.at(e, c) == y.at(r, c);
          ASSERT_EQ(max.at(e, c), takes ? dy.at(r, c) : 0);
          ASSERT_EQ(average.at(e, c), dy.at(r, c) / static_cast<float>(last - first));
          taken = taken || takes;
        }
      }
  }
}

TEST_P(RowKernels, SoftmaxOverChildrenSumsToOneForEachFeature) {
  for (const int width : kWidths) {
    SCOPED_TRACE(width);
    Matrix x(kEdges, width, random_, 1);
    x.at(0, 0) = 1e4F;  // of several children, and of one
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

TEST_P(RowKernels, SoftmaxOverChildrenHasTheSameBitsWhereNumbersLieSideBySide) {
  const std::vector<std::int32_t> segments{0, 1, 1, 14, 30, 71};
  const auto vertices = static_cast<int>(segments.size()) - 1, edges = segments.back();
  Matrix side_by_side(edges, 1, random_), apart(edges, 1, random_, 2), y(edges, 1, random_), y_apart = apart;
  for (int e = 0; e < edges; ++e) apart.at(e, 0) = side_by_side.at(e, 0) *= 4;
  run("softmax_children", {.in = {side_by_side.view()}, .segments = segments.data(), .out = y.out()}, 0, vertices);
  run("softmax_children", {.in = {apart.view()}, .segments = segments.data(), .out = y_apart.out()}, 0, vertices);
  for (int e = 0; e < edges; ++e) EXPECT_EQ(y.at(e, 0), y_apart.at(e, 0)) << e;
}

TEST_P(RowKernels, DropoutDependsOnWhatItDropsAndNotOnTheRow) {
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

TEST(RowKernelTable, KnowsNoOtherNames) {
  EXPECT_EQ(find_row_kernel("matmul"), nullptr);
  EXPECT_NE(find_row_kernel("softmax"), nullptr);
}

}  // namespace
}  // namespace cavs::cpu
