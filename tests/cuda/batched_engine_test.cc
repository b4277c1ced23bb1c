// Tests of engine batched of a GPU alone, the stand-in in the GPU's place; engine_test.cc has those of both engines.

#include <gtest/gtest.h>

#include <functional>

#include "cuda/engine_case.h"
#include "helpers/evaluate.h"
#include "helpers/models.h"

namespace cavs::cuda {
namespace {

/// The same of engine batched, and besides: the bits do not depend on the form of launches, and of a sample's values
/// not on what is batched with it (law 4).
class CudaBatchedOfModel : public CudaBatched, public testing::WithParamInterface<std::string> {};
INSTANTIATE_TEST_SUITE_P(Zoo, CudaBatchedOfModel, testing::ValuesIn(zoo_names()),
                         [](const auto& model) { return name_of(model.param); });

TEST_P(CudaBatchedOfModel, HasTheNumbersOfTheReferenceAndTheSameBitsInEveryForm) {
  const ZooCase zoo = zoo_case(GetParam(), 5, 0.2);
  const std::vector<std::int32_t> samples{3, 1, 4};
  const Bench bench(zoo.model, zoo.graphs);
  SessionOptions options = gpu_session;
  options.check_scripts = true;
  const Result found = bench.run(samples, options);
  expect_same_numbers(found, bench.run(samples, {.engine = EngineKind::kReference}), *bench.parameters, zoo.name);
  for (const char* const form : {"plain", "graphs"}) {
    const Variable launches("CAVS_CUDA_LAUNCHES", form);
    const Result other = bench.run(samples, gpu_session);
    for (const auto& [port, values] : found.outputs) expect_same_bits(other.outputs.at(port), values, port + form);
    for (int p = 0; p < bench.parameters->size(); ++p)
      expect_same_bits(other.gradients.values(p), found.gradients.values(p), bench.parameters->info(p).name + form);
  }
  const Result alone = bench.run(std::vector<std::int32_t>{3}, gpu_session);
  for (const auto& [port, values] : alone.outputs)
    expect_same_bits(values, std::span(found.outputs.at(port)).first(values.size()), port + " alone");
}

/// The engine's counts are those of the driver: of a run that goes forward and back, and of a training step.
TEST_F(CudaBatched, CountsLaunchesInEveryForm) {
  if (!is_standin()) GTEST_SKIP() << "a GPU's driver does not count";
  const ZooCase zoo = zoo_case("tree-lstm", 5, 0);
  const Bench bench(zoo.model, zoo.graphs);
  for (const std::string form : {"plain", "graphs", "early"}) {
    SCOPED_TRACE(form);
    const Variable variable("CAVS_CUDA_LAUNCHES", form);
    const auto expect_counted = [&](const char* what, const std::function<RunStatistics()>& run) {
      const long long kernels = launches(), graphs = graph_launches();
      const RunStatistics counted = run();
      EXPECT_EQ(counted.launches + counted.graph_nodes, launches() - kernels) << what;
      EXPECT_EQ(counted.graph_launches, graph_launches() - graphs) << what;
      EXPECT_EQ(counted.graph_launches > 0, form != "plain") << what;
      EXPECT_GT(counted.launches, 0) << what;
    };
    Session session(bench.program, bench.parameters, gpu_session);
    expect_counted("forward", [&] { return session.forward(*bench.bound, all_samples(zoo.graphs)).statistics(); });
    expect_counted("forward and back", [&] {
      cavs::Run run = session.forward(*bench.bound, all_samples(zoo.graphs));
      Gradients gradients(*bench.parameters);
      run.backward(gradients);
      return run.statistics();
    });
    Trainer trainer(zoo.model, zoo.graphs, options_of("sgd"));
    for (int step = 0; step < 2; ++step) expect_counted("a step", [&] { return trainer.step().statistics; });
  }
}

/// Gradients that the caller gives of what functions push, as PyTorch does.
TEST_F(CudaBatched, TakesGradientsOfPushes) {
  const ZooCase zoo = zoo_case("tree-lstm", 5, 0);
  const Bench bench(zoo.model, zoo.graphs, {.push_gradients = true});
  const auto gradients = [&](const SessionOptions& options) {
    Session session(bench.program, bench.parameters, options);
    cavs::Run run = session.forward(*bench.bound, all_samples(zoo.graphs));
    const std::vector<float> logits = run.output("logits");
    std::vector<float> given(logits.size());
    for (std::size_t i = 0; i < given.size(); ++i) given[i] = static_cast<float>(i % 7) - 3;
    Gradients found(*bench.parameters);
    run.backward(found, std::vector<cavs::Run::PushGradient>{{"logits", given}});
    return found;
  };
  const Gradients found = gradients(gpu_session), expected = gradients({.engine = EngineKind::kReference});
  for (int p = 0; p < bench.parameters->size(); ++p)
    expect_close(found.values(p), expected.values(p), bench.parameters->info(p).name);
}

}  // namespace
}  // namespace cavs::cuda
