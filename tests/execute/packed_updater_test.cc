// Weights that are updated in their packed form.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "cavs/trainer.h"
#include "execute/session_access.h"
#include "helpers/evaluate.h"
#include "helpers/models.h"
#include "helpers/packed_rows.h"
#include "tensor/parameter_rows.h"
#include "tensor/parameters_access.h"

namespace cavs {
namespace {

const TrainOptions kOptions{.batch_size = 4, .optimizer = optimizer_defaults("adam")};

std::vector<std::string> away(const Parameters& parameters) {
  std::vector<std::string> names;
  for (int p = 0; p < parameters.size(); ++p)
    if (detail::ParametersAccess::array(parameters, p).only_copy_is_newest()) names.push_back(parameters.info(p).name);
  return names;
}

std::vector<float> copy_of(std::span<const float> values) { return {values.begin(), values.end()}; }

TEST(PackedUpdater, WeightsThatOnlyProductsReadStayPackedUntilTheyAreRead) {
  const ZooCase zoo = zoo_cases(12)[0];
  Trainer trainer(zoo.model, zoo.graphs, kOptions);
  const Parameters& parameters = trainer.parameters();
  EXPECT_THAT(away(parameters), testing::IsEmpty());
  trainer.step();
  EXPECT_THAT(away(parameters), testing::IsSupersetOf({"W", "U"}));
  EXPECT_THAT(away(parameters), testing::Not(testing::Contains("embedding"))) << "read unpacked";
  EXPECT_THAT(away(parameters), testing::Not(testing::Contains("b")));
  parameters.values("U");
  EXPECT_THAT(away(parameters), testing::Not(testing::Contains("U")));
  EXPECT_THAT(away(parameters), testing::Contains("W"));
}

TEST(PackedUpdater, AChangeByTheCallerTakesEffect) {
  const ZooCase zoo = zoo_cases(12)[0];
  Trainer trainer(zoo.model, zoo.graphs, kOptions);
  trainer.step();
  const int w = trainer.parameters().find("W");
  for (float& value : trainer.parameters().values(w)) value = 0.25F;
  trainer.parameters().touch(w);
  Trainer other(zoo.model, zoo.graphs, kOptions);
  other.step();
  for (float& value : other.parameters().values(w)) value = 0.25F;
  other.parameters().touch(w);
  EXPECT_EQ(trainer.step().loss, other.step().loss);
  for (float value : copy_of(trainer.parameters().values(w))) EXPECT_NEAR(value, 0.25F, 0.01);
}

TEST(PackedUpdater, ValuesReturnWhenTheirSessionEndsOrAnotherReadsThem) {
  const ZooCase zoo = zoo_cases(12)[0];
  const Bench bench(zoo.model, zoo.graphs);
  const auto samples = all_samples(zoo.graphs);
  Optimizer optimizer(optimizer_defaults("sgd"), *bench.parameters);
  Gradients gradients(*bench.parameters);
  const auto train = [&](Session& session) {
    cavs::Run run = session.forward(*bench.bound, samples);
    run.backward(gradients);
    session.update(run, gradients, optimizer);
    clear(*bench.parameters, gradients);
  };
  std::optional<Session> first(std::in_place, bench.program, bench.parameters);
  Session second(bench.program, bench.parameters, {.threads = 2});
  train(*first);
  train(second);
  train(*first);  // the weights move between the packs of the two sessions
  EXPECT_THAT(away(*bench.parameters), testing::Contains("U"));
  std::vector<double> losses(3);
  std::vector<std::thread> readers;  // all read the values at once
  for (double& loss : losses)
    readers.emplace_back([&] {
      Session session(bench.program, bench.parameters);
      loss = session.forward(*bench.bound, samples).loss();
    });
  for (std::thread& reader : readers) reader.join();
  EXPECT_THAT(losses, testing::Each(first->forward(*bench.bound, samples).loss()));
  train(*first);
  const double loss = first->forward(*bench.bound, samples).loss();
  first.reset();
  EXPECT_THAT(away(*bench.parameters), testing::IsEmpty());
  EXPECT_EQ(second.forward(*bench.bound, samples).loss(), loss);
}

TEST(PackedUpdater, ABoundParameterStaysInTheCallersMemory) {
  const ZooCase zoo = zoo_cases(12)[0];
  Trainer trainer(zoo.model, zoo.graphs, kOptions);
  const int u = trainer.parameters().find("U");
  std::vector<float> memory = copy_of(trainer.parameters().values(u));
  trainer.parameters().bind(u, memory.data());
  const std::vector<float> before = memory;
  trainer.step();
  EXPECT_FALSE(detail::ParametersAccess::array(trainer.parameters(), u).only_copy_is_newest());
  EXPECT_NE(memory, before);
}

TEST(PackedUpdater, TheNextForwardPacksAPartialUpdateOfAWeight) {
  const ZooCase zoo = zoo_cases(12)[0];
  const Bench bench(zoo.model, zoo.graphs);
  Session session(bench.program, bench.parameters);
  const auto samples = all_samples(zoo.graphs);
  session.forward(*bench.bound, samples);
  const int u = bench.parameters->find("U");
  PackedUpdater& rows = begin_update(session);
  float* const first = rows.open(0, u, 0, 1);
  first[0] += 1;
  rows.close(u, 0, 1, first);
  bench.parameters->touch(u);
  rows.finish();
  EXPECT_FALSE(detail::ParametersAccess::array(*bench.parameters, u).only_copy_is_newest());
  Session fresh(bench.program, bench.parameters);
  EXPECT_EQ(session.forward(*bench.bound, samples).loss(), fresh.forward(*bench.bound, samples).loss());
}

}  // namespace
}  // namespace cavs
