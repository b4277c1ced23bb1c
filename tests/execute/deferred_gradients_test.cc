// Weight gradients that the update computes itself (pass fuse_update).

#include "execute/batched/deferred_gradients.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "backend/cpu/kernels.h"
#include "cavs/trainer.h"
#include "execute/session_access.h"
#include "graphs/error_text.h"
#include "helpers/evaluate.h"
#include "helpers/models.h"
#include "helpers/packed_rows.h"
#include "helpers/trained.h"
#include "tensor/parameter_rows.h"
#include "update/gradient_norm.h"
#include "update/optimizer_access.h"

namespace cavs {
namespace {

using CavsRun = cavs::Run;  // testing::Test has a member of that name

TrainOptions train_options(const std::string& optimizer, int threads, std::vector<std::string> disabled = {}) {
  TrainOptions options;
  options.batch_size = 2;
  options.session.threads = threads;
  options.disabled_passes = std::move(disabled);
  options.session.defer_from = 0;
  options.gradient_norm = true;
  options.optimizer = optimizer_defaults(optimizer);
  options.optimizer.lr = 0.01;
  return options;
}

TEST(FuseUpdate, ComputesTheNormOnlyOnRequest) {
  const ZooCase zoo = zoo_cases(8)[0];
  TrainOptions options = train_options("adam", 2);
  Trainer with(zoo.model, zoo.graphs, options);
  options.gradient_norm = false;
  Trainer without(zoo.model, zoo.graphs, options);
  EXPECT_TRUE(std::isfinite(with.step().gradient_norm));
  EXPECT_TRUE(std::isnan(without.step().gradient_norm));
}

TEST(FuseUpdate, SplitsWeightsOfAnySizeIntoPieces) {
  const GraphSet graphs = random_samples(find_model("tree-lstm-binary"), 12, 50, 11);
  for (const int size : {16, 47, 48, 49, 80, 100})
    for (const int threads : {1, 2, 3}) {
      const Model model = small_model("tree-lstm-binary", 0, size);
      Trainer fused(model, graphs, train_options("sgd", threads));
      Trainer stored(model, graphs, train_options("sgd", threads, {"fuse_update"}));
      for (int step = 0; step < 6; ++step) EXPECT_EQ(fused.step().gradient_norm, stored.step().gradient_norm) << size;
      expect_same_parameters(fused, stored, std::to_string(size));
    }
}

/// A run with deferred gradients, and the names of the deferred weights.
struct Deferred {
  Deferred(const std::string& name, std::int32_t samples, CompileOptions options = {}, std::int64_t defer_from = 0)
      : model(find_model(name)),
        graphs(random_samples(model, samples, 50, 11)),
        bench(small_model(name, 0, 60), graphs, options),
        session(bench.program, bench.parameters, {.defer_from = defer_from}),
        run(session.forward(*bench.bound, all_samples(graphs))),
        gradients(*bench.parameters) {
    run.backward(gradients, {}, true);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (std::size_t p = 0; p < gradients.deferred.size(); ++p)
      if (gradients.deferred[p] != 0) names.push_back(bench.parameters->info(static_cast<int>(p)).name);
    return names;
  }

  const ZooModel& model;
  GraphSet graphs;
  Bench bench;
  Session session;
  CavsRun run;
  Gradients gradients;
};

TEST(FuseUpdate, DoesNotDeferSumsOverManyRowsOrIfSwitchedOff) {
  EXPECT_FALSE(Deferred("tree-lstm-binary", 2).names().empty());
  EXPECT_THAT(Deferred("tree-lstm-binary", 60).names(), testing::ElementsAre("W"))
      << "word rows are shared, vertex rows are not";
  EXPECT_TRUE(Deferred("tree-lstm-binary", 2, {.disabled_passes = {"fuse_update"}}).names().empty());
  EXPECT_THAT(Deferred("tree-lstm-binary", 12, {}, 60 * 180).names(), testing::ElementsAre("W", "Ul", "Ur"))
      << "the other weights are smaller";
  EXPECT_GT(Deferred("tree-lstm-binary", 1, {}, 60 * 180).names().size(), 2U) << "few rows are summed";
  EXPECT_TRUE(Deferred("tree-lstm-binary", 2, {.disabled_passes = {"lazy"}}).names().size() <
              Deferred("tree-lstm-binary", 2).names().size())
      << "gradients that tasks add to are not deferred";
}

TEST(FuseUpdate, DeferredGradientsNeedAnUpdateFromTheirRun) {
  Deferred deferred("tree-lstm-binary", 2);
  Parameters& parameters = *deferred.bench.parameters;
  Optimizer optimizer(optimizer_defaults("sgd"), parameters);
  EXPECT_THAT(error_of([&] { optimizer.step(parameters, deferred.gradients); }),
              testing::AllOf(testing::HasSubstr("is deferred"), testing::HasSubstr("Session::update")));
  ParameterRows& rows = begin_update(deferred.session);
  EXPECT_THAT(error_of([&] { rows.gradient(0, parameters.find("Ul"), 0, 16); }),
              testing::AllOf(testing::HasSubstr("'Ul'"), testing::HasSubstr("the run whose backward")));
  ParameterRows& with_run = begin_update(deferred.session, &deferred.run);
  EXPECT_THAT(error_of([&] { with_run.gradient(0, parameters.find("b"), 0, 16); }), testing::HasSubstr("'b'"));
}

TEST(FuseUpdate, AcceptsGradientsOnlyFromTheRunThatDeferredThem) {
  Deferred deferred("tree-lstm-binary", 2);
  Optimizer optimizer(optimizer_defaults("sgd"), *deferred.bench.parameters);
  const auto error = [&](CavsRun& run) {
    return error_of([&] { deferred.session.update(run, deferred.gradients, optimizer); });
  };
  EXPECT_EQ(error(deferred.run), "no UserError");
  const std::vector<std::int32_t> samples = all_samples(deferred.graphs);
  Gradients others(*deferred.bench.parameters);
  CavsRun other = deferred.session.forward(*deferred.bench.bound, samples);
  other.backward(others, {}, true);
  EXPECT_THAT(error(other), testing::HasSubstr("another backward"));
  deferred.run.backward(others, {}, true);
  EXPECT_THAT(error(deferred.run), testing::HasSubstr("another backward")) << "a later backward pass of the same run";
  Deferred of_other_session("tree-lstm-binary", 2);
  EXPECT_THAT(error_of([&] { deferred.session.update(of_other_session.run, of_other_session.gradients, optimizer); }),
              testing::HasSubstr("the session of that run"));
  CavsRun moved = std::move(deferred.run);
  EXPECT_THAT(error(deferred.run), testing::HasSubstr("another backward"));
}

TEST(FuseUpdate, ARunWithoutBackwardHasDeferredNothing) {
  Deferred deferred("tree-lstm-binary", 2);
  Session session(deferred.bench.program, deferred.bench.parameters, {});
  CavsRun run = session.forward(*deferred.bench.bound, all_samples(deferred.graphs));
  ParameterRows& rows = begin_update(session, &run);
  EXPECT_THAT(error_of([&] { rows.gradient(0, deferred.bench.parameters->find("Ul"), 0, 16); }),
              testing::HasSubstr("its run has not deferred"));
}

TEST(FuseUpdate, DeferredGradientsCannotBeClipped) {
  Deferred deferred("tree-lstm-binary", 2);
  Optimizer optimizer(optimizer_defaults("sgd"), *deferred.bench.parameters);
  EXPECT_THAT(error_of([&] { deferred.session.update(deferred.run, deferred.gradients, optimizer, {.clip_norm = 1}); }),
              testing::HasSubstr("defer_weights = false"));
}

TEST(FuseUpdate, ASecondUpdateNeedsTheDeferredGradientsAgain) {
  Deferred deferred("tree-lstm-binary", 2);
  Parameters& parameters = *deferred.bench.parameters;
  Optimizer optimizer(optimizer_defaults("sgd"), parameters);
  deferred.session.update(deferred.run, deferred.gradients, optimizer);
  EXPECT_THAT(error_of([&] { optimizer.step(parameters, deferred.gradients); }), testing::HasSubstr("is deferred"));
  deferred.gradients.deferred.clear();
  EXPECT_THAT(error_of([&] { optimizer.step(parameters, deferred.gradients); }), testing::HasSubstr("none is marked"));
}

TEST(FuseUpdate, AnUnfinishedNormIsNotANumber) {
  Deferred deferred("tree-lstm-binary", 2);
  Parameters& parameters = *deferred.bench.parameters;
  GradientNorm norm(parameters);
  norm.share(0, 1, deferred.gradients);
  EXPECT_TRUE(std::isfinite(norm.known(deferred.gradients)));
  EXPECT_TRUE(std::isnan(norm.total(deferred.gradients)));
}

TEST(FuseUpdate, GradientsThatMayNotBeFiniteAreNotDeferred) {
  const auto bounded = [](float x, float dy) {
    const std::vector<float> a(20, x), b(33, dy);
    return is_bounded({a.data(), 0, nullptr, 20}, {b.data(), 0, nullptr, 33}, 7);
  };
  EXPECT_TRUE(bounded(1, -1));
  EXPECT_TRUE(bounded(1e15F, 1e15F));
  EXPECT_FALSE(bounded(1e17F, 1e17F));
  EXPECT_TRUE(bounded(1e20F, 1e-20F));
  EXPECT_FALSE(bounded(NAN, 1));
  EXPECT_FALSE(bounded(1, INFINITY));
}

TEST(FuseUpdate, AnOverflowingWeightGradientStopsTheUpdateBeforeAnyChange) {
  Model model;
  const auto E = model.lookup("E", {1000, 4}, Initializer::constant(1e20F));
  const auto W = model.parameter("W", {4, 3}, Initializer::zeros());
  model.vertex_function("f", [&](Vertex& v) {
    const Value x = E(v.pull_index("word"));
    v.scatter("x", x);
    v.scatter("sum", sum(v.children("x")));
    v.loss(sum_features(matmul(x, W) * 1e30F));
  });
  const GraphSet graphs = dressed_set({chain(9)});
  Trainer trainer(model, graphs, train_options("sgd", 1));
  EXPECT_THAT(error_of([&] { trainer.step(); }), testing::HasSubstr("gradient of parameter 'W' is not finite"));
  EXPECT_THAT(trainer.parameters().values("E"), testing::Each(1e20F));
  EXPECT_THAT(trainer.parameters().values("W"), testing::Each(0));
}

}  // namespace
}  // namespace cavs
