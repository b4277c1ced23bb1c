// Learning rates and freezing by the names of parameters.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cavs/checkpoint.h"
#include "cavs/optimizer.h"
#include "graphs/error_text.h"
#include "update/gradient_norm.h"
#include "update/optimizer_def.h"

namespace cavs {
namespace {

using testing::HasSubstr;

Parameters grouped_parameters() {
  const auto one = Initializer::constant(1);
  return Parameters({{"embedding", {6, 2}, true, one}, {"cell_W", {2, 2}, false, one}, {"cell_b", {2}, false, one}}, 1);
}

Gradients ones(const Parameters& parameters) {
  Gradients gradients(parameters);
  for (std::size_t p = 0; p < gradients.size(); ++p) std::ranges::fill(gradients.values(p), 1.0F);
  for (int row = 0; row < 6; ++row) gradients.table_rows[0].push_back(row);
  return gradients;
}

/// Change of the first element of each parameter in one step with a rate of 0.5.
std::vector<float> moved(std::vector<ParameterGroup> groups) {
  Parameters parameters = grouped_parameters();
  OptimizerOptions options = optimizer_defaults("sgd");
  options.lr = 0.5;
  options.groups = std::move(groups);
  Optimizer(options, parameters).step(parameters, ones(parameters));
  std::vector<float> distances;
  for (int p = 0; p < parameters.size(); ++p) distances.push_back(1 - parameters.values(p)[0]);
  return distances;
}

using Distances = std::vector<float>;

TEST(ParameterGroups, HaveTheirOwnRates) {
  EXPECT_EQ(moved({}), (Distances{0.5F, 0.5F, 0.5F}));
  EXPECT_EQ(moved({ParameterGroup::times("embedding", 0.5)}), (Distances{0.25F, 0.5F, 0.5F}));
  EXPECT_EQ(moved({ParameterGroup::fixed("cell_*", 0.125)}), (Distances{0.5F, 0.125F, 0.125F}));
  EXPECT_EQ(moved({ParameterGroup::frozen("*_[W]")}), (Distances{0.5F, 0, 0.5F}));
}

TEST(ParameterGroups, TheLastMatchApplies) {
  EXPECT_EQ(moved({ParameterGroup::frozen("*"), ParameterGroup::times("cell_?", 1)}), (Distances{0, 0.5F, 0.5F}));
}

TEST(ParameterGroups, FollowTheScheduleAndTheRateFactor) {
  Parameters parameters = grouped_parameters();
  OptimizerOptions options = optimizer_defaults("sgd");
  options.lr = 0.5;
  options.schedule.warmup_steps = 2;
  options.groups = {ParameterGroup::fixed("cell_b", 0.25), ParameterGroup::frozen("cell_W")};
  Optimizer optimizer(options, parameters);
  optimizer.set_rate_factor(0.5);
  EXPECT_EQ(optimizer.learning_rate(), 0.125);
  EXPECT_EQ(optimizer.learning_rate(0), 0.125);
  EXPECT_EQ(optimizer.learning_rate(1), 0);
  EXPECT_EQ(optimizer.learning_rate(2), 0.0625);
}

TEST(ParameterGroups, FrozenParametersKeepTheirBitsWithAnyOptimizer) {
  for (const std::string_view kind : optimizer_kinds()) {
    SCOPED_TRACE(kind);
    Parameters parameters = grouped_parameters();
    OptimizerOptions options = optimizer_defaults(kind);
    options.weight_decay = 0.5;
    options.groups = {ParameterGroup::frozen("embedding"), ParameterGroup::frozen("*_b")};
    Optimizer optimizer(options, parameters);
    const auto version = parameters.version(0);
    optimizer.step(parameters, ones(parameters));
    EXPECT_THAT(parameters.values(0), testing::Each(1));
    EXPECT_THAT(parameters.values(2), testing::Each(1));
    EXPECT_THAT(parameters.values(1), testing::Each(testing::Ne(1)));
    EXPECT_EQ(parameters.version(0), version) << "frozen weights are not packed again";
  }
}

TEST(ParameterGroups, ThatMatchNothingAreRefused) {
  const auto error = [](std::vector<ParameterGroup> groups) { return error_of([&] { moved(std::move(groups)); }); };
  EXPECT_EQ(error({ParameterGroup::frozen("Embedding")}),
            "no parameter matches 'Embedding'; the model's parameters are embedding, cell_W, cell_b");
  EXPECT_THAT(error({ParameterGroup::frozen("*")}), HasSubstr("all parameters are frozen"));
  EXPECT_THAT(error({ParameterGroup::times("", 1)}), HasSubstr("has 0 bytes; expected 1"));
  EXPECT_THAT(error({ParameterGroup::times("cell_W", -1)}), HasSubstr("'cell_W' is -1; expected a number from 0"));
}

TEST(ParameterGroups, FrozenParametersAreNotInTheNorm) {
  const Parameters parameters = grouped_parameters();
  GradientNorm norm(parameters);
  norm.leave_out(std::vector<char>{1, 0, 0});
  norm.share(0, 1, ones(parameters));
  EXPECT_FLOAT_EQ(norm.total(ones(parameters)), std::sqrt(6.0F));
  norm.leave_out(std::vector<char>{0, 0, 1});
  norm.share(0, 1, ones(parameters));
  EXPECT_FLOAT_EQ(norm.total(ones(parameters)), 4);
  EXPECT_THAT(error_of([&] { norm.leave_out(std::vector<char>{1}); }), HasSubstr("a norm of 3 gradients"));
}

TEST(ParameterGroups, AreComparedWhenTrainingResumes) {
  Parameters parameters = grouped_parameters();
  const auto optimizer = [&](std::vector<ParameterGroup> groups) {
    OptimizerOptions options = optimizer_defaults("adam");
    options.groups = std::move(groups);
    return Optimizer(options, parameters);
  };
  const auto E = ParameterGroup::frozen("embedding"), b = ParameterGroup::times("cell_b", 0.5);
  const Optimizer first = optimizer({E, b});
  Checkpoint checkpoint;
  capture(parameters, &first, checkpoint);
  const auto error = [&](std::vector<ParameterGroup> groups) {
    Optimizer resumed = optimizer(std::move(groups));
    return error_of([&] { restore(checkpoint, parameters, &resumed); });
  };
  EXPECT_EQ(error({E, b}), "no UserError");
  EXPECT_THAT(error({E}), HasSubstr("its optimiser's groups 1 pattern is \"cell_b\"; expected null"));
  EXPECT_THAT(error({}), HasSubstr("its optimiser's groups 0 pattern is \"embedding\""));
}

}  // namespace
}  // namespace cavs
