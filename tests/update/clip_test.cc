#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cavs/optimizer.h"
#include "support/philox.h"
#include "update/gradient_norm.h"

namespace cavs {
namespace {

void fill(Gradients& gradients, const std::vector<std::vector<float>>& values) {
  for (std::size_t p = 0; p < values.size(); ++p) std::ranges::copy(values[p], gradients.values(p).begin());
}

double norm_of(const Parameters& parameters, const Gradients& gradients, int workers = 1) {
  GradientNorm norm(parameters);
  for (int worker = 0; worker < workers; ++worker) norm.share(worker, workers, gradients);
  return norm.total(gradients);
}

TEST(GradientNorm, IsTheRootOfTheSumOfAllSquares) {
  const Parameters parameters({{"w", {2}, false, {}}, {"t", {3, 1}, true, {}}}, 1);
  Gradients gradients(parameters);
  fill(gradients, {{3, 0}, {0, 0, -4}});
  gradients.table_rows[1] = {2};
  EXPECT_EQ(norm_of(parameters, gradients), 5);
}

TEST(GradientNorm, HasTheSameBitsForAnyNumberOfWorkers) {
  const Parameters parameters({{"w", {100'003}, false, {}}, {"t", {5000, 33}, true, {}}, {"b", {1}, false, {}}}, 1);
  Gradients gradients(parameters);
  Random random(1, RandomPurpose::kGenerator);
  for (std::size_t p = 0; p < gradients.size(); ++p)
    for (float& value : gradients.values(p)) value = random.normal();
  for (int row = 4999; row >= 0; --row) gradients.table_rows[1].push_back(row);
  const double alone = norm_of(parameters, gradients);
  double naive = 0;
  for (std::size_t p = 0; p < gradients.size(); ++p)
    for (const float value : gradients.values(p)) naive += static_cast<double>(value) * value;
  EXPECT_NEAR(alone, std::sqrt(naive), 1e-9 * alone);
  for (const int workers : {2, 3, 7, 100}) EXPECT_EQ(norm_of(parameters, gradients, workers), alone) << workers;
}

TEST(GradientNorm, DoesNotOverflowAndNamesTheParameterThatIsNotFinite) {
  const Parameters parameters({{"w", {2}, false, {}}, {"v", {2}, false, {}}}, 1);
  Gradients gradients(parameters);
  fill(gradients, {{3e38F, 0}, {1, 1}});
  EXPECT_TRUE(std::isfinite(norm_of(parameters, gradients)));
  gradients.values(1)[1] = std::numeric_limits<float>::quiet_NaN();
  GradientNorm norm(parameters);
  norm.share(0, 1, gradients);
  EXPECT_FALSE(std::isfinite(norm.total(gradients)));
  EXPECT_TRUE(std::isfinite(norm.of(0, gradients)));
  EXPECT_FALSE(std::isfinite(norm.of(1, gradients)));
}

TEST(GradientNorm, ReadsGradientsInTheCallersMemory) {
  Parameters parameters({{"w", {2}, false, {}}}, 1);
  std::vector<float> memory(Gradients::flat_size(parameters));
  Gradients gradients(parameters, memory);
  memory[0] = 3;
  memory[1] = 4;
  EXPECT_EQ(norm_of(parameters, gradients), 5);
  const std::vector<float> before(parameters.values(0).begin(), parameters.values(0).end());
  OptimizerOptions options = optimizer_defaults("sgd");
  options.lr = 1;
  Optimizer(options, parameters).step(parameters, gradients);
  EXPECT_EQ(parameters.values(0)[1], before[1] - 4);
}

TEST(ClipScale, ScalesDownToTheLargestNormAndNeverUp) {
  EXPECT_FLOAT_EQ(clip_scale(10, 5), 5 / (10 + 1e-6F));
  EXPECT_EQ(clip_scale(4, 5), 1);
  EXPECT_EQ(clip_scale(10, 0), 1);
}

}  // namespace
}  // namespace cavs
