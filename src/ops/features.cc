#include <algorithm>
#include <cmath>

#include "ir/op.h"
#include "ops/log_sum_exp.h"

// Operators over the features (columns) of a row.
namespace cavs::inline v0_1 {
namespace {

void max_features_reference(Reference& r) {
  for (std::int64_t i = 0; i < r.y.rows; ++i) {
    r.y.at(i, 0) = r.x[0]->at(i, 0);
    for (std::int64_t j = 1; j < r.x[0]->width; ++j) r.y.at(i, 0) = std::max(r.y.at(i, 0), r.x[0]->at(i, j));
  }
}

}  // namespace

extern const OpDef kSumFeatures{
    .name = "sum_features",
    .id = OpId::kSumFeatures,
    .params = {"x"},
    .partial = true,
    .zero = ZeroRule::kAllInputs,
    .linear = LinearRule::kYes,
    .infer = scalar_shape,
    .gradient = [](GradientRule& g) { g.dx(0) += g.broadcast(g.dy(), g.shape(0)); },
    .reference =
        [](Reference& r) {
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < r.x[0]->width; ++j) r.y.at(i, 0) += r.x[0]->at(i, j);
        },
    .doc = "Sum over the features; shape [].",
};

extern const OpDef kMeanFeatures{
    .name = "mean_features",
    .id = OpId::kMeanFeatures,
    .params = {"x"},
    .partial = true,
    .zero = ZeroRule::kAllInputs,
    .linear = LinearRule::kYes,
    .infer = scalar_shape,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.broadcast(g.dy() * (1.0 / static_cast<double>(g.shape(0).size())), g.shape(0));
        },
    .reference =
        [](Reference& r) {
          const auto width = static_cast<double>(r.x[0]->width);
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < r.x[0]->width; ++j) r.y.at(i, 0) += r.x[0]->at(i, j) / width;
        },
    .doc = "Mean over the features; shape [].",
};

extern const OpDef kMaxFeatures{
    .name = "max_features",
    .id = OpId::kMaxFeatures,
    .params = {"x"},
    .partial = true,
    .infer = scalar_shape,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.apply(OpId::kMaxFeaturesGrad, {g.x(0), g.y(), g.dy()});
        },
    .reference = max_features_reference,
    .doc = "The largest feature; shape []. The first of several equal ones takes the gradient.",
};

extern const OpDef kMaxFeaturesGrad{
    .name = "max_features_grad",
    .id = OpId::kMaxFeaturesGrad,
    .params = {"x", "y", "dy"},
    .in_public = false,
    .infer = same_shape_as_first,
    .reference =
        [](Reference& r) {
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < r.y.width; ++j)
              if (r.x[0]->at(i, j) == r.x[1]->at(i, 0)) {
                r.y.at(i, j) = r.x[2]->at(i, 0);
                break;
              }
        },
    .doc = "dx of max_features.",
};

extern const OpDef kLogSumExp{
    .name = "log_sum_exp",
    .id = OpId::kLogSumExp,
    .params = {"x"},
    .partial = true,
    .infer = scalar_shape,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() * g.apply(OpId::kExp, {g.x(0) - g.y()}); },
    .reference =
        [](Reference& r) {
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            r.y.at(i, 0) = log_sum_exp(r.x[0]->width, [&](std::int64_t j) { return r.x[0]->at(i, j); });
        },
    .doc = "log(sum(exp(x))) over the features; shape []. It is -inf only if all features are.",
};

extern const OpDef kHardMax{
    .name = "hard_max",
    .id = OpId::kHardMax,
    .params = {"x"},
    .infer = same_shape_as_first,
    .reference =
        [](Reference& r) {
          for (std::int64_t i = 0; i < r.y.rows; ++i) {
            std::int64_t largest = 0;
            for (std::int64_t j = 1; j < r.y.width; ++j)
              if (r.x[0]->at(i, j) > r.x[0]->at(i, largest)) largest = j;
            r.y.at(i, largest) = 1;
          }
        },
    .doc = "1 at the largest feature (the first of several equal ones), and 0 elsewhere. It has no gradient.",
};

extern const OpDef kDot{
    .name = "dot",
    .id = OpId::kDot,
    .params = {"x", "y"},
    .infer =
        [](Inference& i) {
          if (i.in(0).shape.size() != i.in(1).shape.size()) i.fail("sizes differ: {} and {}", i.show(0), i.show(1));
          i.set_shape({});
        },
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.dy() * g.x(1);
          g.dx(1) += g.dy() * g.x(0);
        },
    .reference =
        [](Reference& r) {
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < r.x[0]->width; ++j) r.y.at(i, 0) += r.x[0]->at(i, j) * r.x[1]->at(i, j);
        },
    .doc = "Inner product over the features; shape [].",
};

}  // namespace cavs::inline v0_1
