#include "cavs/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cavs/error.h"
#include "helpers/parameters.h"
#include "support/philox.h"
#include "update/optimizer_access.h"
#include "update/optimizer_def.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr int kTable = 1;

/// A matrix of an odd size, a table of 50 rows, and a bias.
Parameters make_parameters() {
  return Parameters({{"W", {37, 19}, false, Initializer::normal(1)},
                     {"table", {50, 7}, true, Initializer::normal(1)},
                     {"b", {5}, false, Initializer::normal(1)}},
                    1);
}

/// Random gradients. For the table, only rows 3, 8, 13, ... are listed.
Gradients make_gradients(const Parameters& parameters, std::uint64_t seed) {
  Gradients gradients(parameters);
  Random random(seed, RandomPurpose::kGenerator);
  for (const int p : {0, 2})
    for (float& value : gradients.values(p)) value = random.normal();
  for (int row = 3; row < 50; row += 5) {
    gradients.table_rows[kTable].push_back(row);
    for (int i = 0; i < 7; ++i) gradients.values(kTable)[row * 7 + i] = random.normal();
  }
  return gradients;
}

std::vector<OptimizerOptions> every_kind() {
  std::vector<OptimizerOptions> all;
  for (const std::string_view kind : optimizer_kinds()) {
    all.push_back(optimizer_defaults(kind));
    all.push_back(optimizer_defaults(kind));
    all.back().weight_decay = 0.1;
  }
  all.push_back(optimizer_defaults("sgd"));
  all.back().momentum = 0.9;
  return all;
}

/// Values after five steps.
std::vector<std::vector<float>> train(const OptimizerOptions& options, int workers) {
  Parameters parameters = make_parameters();
  Optimizer optimizer(options, parameters);
  for (int step = 0; step < 5; ++step) {
    const Gradients gradients = make_gradients(parameters, step);
    for (int worker = workers - 1; worker >= 0; --worker)
      for (int p = 0; p < parameters.size(); ++p)
        detail::OptimizerAccess::step_parameter(optimizer, {worker, worker, workers}, p, parameters, gradients, 0.5F,
                                                nullptr);
    detail::OptimizerAccess::end_step(optimizer, parameters);
  }
  return values_of(parameters);
}

TEST(Optimizer, GivesTheSameBitsForAnyNumberOfWorkers) {
  for (const OptimizerOptions& options : every_kind())
    for (const bool sparse : {false, true}) {
      OptimizerOptions o = options;
      o.sparse_updates = sparse;
      SCOPED_TRACE(o.kind);
      const auto alone = train(o, 1);
      for (const int workers : {2, 3, 64}) EXPECT_EQ(train(o, workers), alone) << workers;
    }
}

TEST(Optimizer, SkippingRowsWithoutGradientChangesNoBitOfTheDenseUpdate) {
  for (OptimizerOptions options : every_kind()) {
    SCOPED_TRACE(options.kind);
    Parameters listed = make_parameters(), dense = make_parameters();
    Optimizer listed_optimizer(options, listed), dense_optimizer(options, dense);
    for (int step = 0; step < 3; ++step) {
      Gradients gradients = make_gradients(listed, step);
      listed_optimizer.step(listed, gradients);
      gradients.table_rows[kTable].clear();
      for (int row = 0; row < 50; ++row) gradients.table_rows[kTable].push_back(row);
      dense_optimizer.step(dense, gradients);
    }
    EXPECT_EQ(values_of(listed), values_of(dense));
  }
}

TEST(Optimizer, SparseUpdatesLeaveUnlistedRowsAndTheirStateAlone) {
  for (OptimizerOptions options : every_kind()) {
    SCOPED_TRACE(options.kind);
    options.sparse_updates = true;
    Parameters parameters = make_parameters();
    const auto before = values_of(parameters);
    Optimizer optimizer(options, parameters);
    optimizer.step(parameters, make_gradients(parameters, 1));
    optimizer.step(parameters, make_gradients(parameters, 2));
    for (int i = 0; i < 50 * 7; ++i) {
      const bool is_listed = (i / 7) % 5 == 3;
      EXPECT_EQ(parameters.values(kTable)[i] == before[kTable][i], !is_listed) << i;
      for (int slot = 0; slot < optimizer.slots(); ++slot)
        EXPECT_EQ(optimizer.slot(slot, kTable)[i] == 0, !is_listed) << i;
    }
  }
}

TEST(Optimizer, DenseMomentumMovesRowsWithoutAGradient) {
  OptimizerOptions options = optimizer_defaults("sgd");
  options.momentum = 0.9;
  Parameters parameters = make_parameters();
  Optimizer optimizer(options, parameters);
  optimizer.step(parameters, make_gradients(parameters, 1));
  const float before = parameters.values(kTable)[3 * 7];
  optimizer.step(parameters, Gradients(parameters));
  EXPECT_NE(parameters.values(kTable)[3 * 7], before);
}

TEST(Optimizer, ScalesGradientsFirst) {
  for (const OptimizerOptions& options : every_kind()) {
    SCOPED_TRACE(options.kind);
    Parameters scaled = make_parameters(), plain = make_parameters();
    Gradients gradients = make_gradients(scaled, 1);
    Optimizer(options, scaled).step(scaled, gradients, 0.25F);
    for (std::size_t p = 0; p < gradients.size(); ++p)
      for (float& value : gradients.values(p)) value *= 0.25F;
    Optimizer(options, plain).step(plain, gradients);
    EXPECT_EQ(values_of(scaled), values_of(plain));
  }
}

TEST(Optimizer, CountsStepsAndMarksEveryParameterAsChanged) {
  Parameters parameters = make_parameters();
  Optimizer optimizer(optimizer_defaults("sgd"), parameters);
  const std::uint64_t last = parameters.version(parameters.size() - 1);
  detail::OptimizerAccess::end_step(optimizer, parameters);
  EXPECT_EQ(optimizer.steps(), 1);
  for (int p = 0; p < parameters.size(); ++p) EXPECT_GT(parameters.version(p), last);
}

TEST(Optimizer, FollowsItsSchedule) {
  OptimizerOptions options = optimizer_defaults("sgd");
  options.lr = 1;
  options.schedule.warmup_steps = 2;
  Parameters parameters({{"w", {1}, false, Initializer::zeros()}}, 1);
  Gradients gradients(parameters);
  gradients.values(0)[0] = 1;
  Optimizer optimizer(options, parameters);
  optimizer.step(parameters, gradients);
  EXPECT_EQ(parameters.values(0)[0], -0.5F);
  optimizer.step(parameters, gradients);
  EXPECT_EQ(parameters.values(0)[0], -1.5F);
}

TEST(Optimizer, NamesItsState) {
  const Parameters parameters = make_parameters();
  const auto names = [&](const OptimizerOptions& options) {
    const Optimizer optimizer(options, parameters);
    std::vector<std::string_view> result;
    for (int slot = 0; slot < optimizer.slots(); ++slot) result.push_back(optimizer.slot_name(slot));
    return result;
  };
  OptimizerOptions momentum = optimizer_defaults("sgd");
  momentum.momentum = 0.9;
  EXPECT_THAT(names(optimizer_defaults("sgd")), ElementsAre());
  EXPECT_THAT(names(momentum), ElementsAre("momentum"));
  EXPECT_THAT(names(optimizer_defaults("adagrad")), ElementsAre("sum"));
  EXPECT_THAT(names(optimizer_defaults("adam")), ElementsAre("exp_avg", "exp_avg_sq"));
}

TEST(Optimizer, ListsItsKindsSorted) {
  EXPECT_THAT(optimizer_kinds(), ElementsAre("adagrad", "adam", "adamw", "sgd"));
  for (const OptimizerDef* def : optimizer_defs()) EXPECT_FALSE(def->doc.empty()) << def->name;
}

TEST(Optimizer, RefusesBadOptions) {
  using O = OptimizerOptions;
  using Decay = LearningRateSchedule::Decay;
  const struct {
    std::string_view kind;
    void (*change)(O&);
    std::string message;
  } cases[]{
      {"sgd", [](O& o) { o.kind = "adm"; }, "did you mean 'adam'?"},
      {"sgd", [](O& o) { o.lr = -1; }, "lr is -1; expected a number from 0"},
      {"sgd", [](O& o) { o.lr = std::numeric_limits<double>::quiet_NaN(); }, "lr is nan"},
      {"adam", [](O& o) { o.beta1 = 1; }, "beta1 is 1; expected a number from 0 to below 1"},
      {"adam", [](O& o) { o.momentum = 0.9; }, "optimizer 'adam' has no option momentum; leave it at 0"},
      {"sgd", [](O& o) { o.nesterov = true; }, "nesterov needs a momentum above 0"},
      {"sgd", [](O& o) { o.schedule.decay_steps = -1; }, "decay_steps is -1 with decay 'constant'; expected 0 or more"},
      {"sgd", [](O& o) { o.schedule.decay = Decay::kCosine; },
       "decay_steps is 0 with decay 'cosine'; expected 1 or more: the steps until the rate reaches its floor"},
      {"sgd", [](O& o) { o.schedule.decay = Decay::kStep; },
       "decay_steps is 0 with decay 'step'; expected 1 or more: the steps after which the rate is multiplied"},
  };
  const Parameters parameters = make_parameters();
  for (const auto& [kind, change, message] : cases) {
    OptimizerOptions options = optimizer_defaults(kind);
    change(options);
    EXPECT_THAT([&] { Optimizer(options, parameters); }, ThrowsMessage<UserError>(HasSubstr(message)));
  }
  EXPECT_THAT([] { optimizer_defaults("adm"); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("unknown optimizer 'adm'"), HasSubstr("adagrad"))));
}

TEST(Clear, ZeroesTheListedRowsOnly) {
  const Parameters parameters = make_parameters();
  Gradients gradients = make_gradients(parameters, 1);
  const std::vector<float> dense(gradients.values(0).begin(), gradients.values(0).end());
  clear(parameters, gradients);
  EXPECT_THAT(gradients.values(kTable), testing::Each(0.0F));
  EXPECT_TRUE(gradients.table_rows[kTable].empty());
  EXPECT_THAT(gradients.values(0), testing::ElementsAreArray(dense));
}

}  // namespace
}  // namespace cavs
