// Tests of engine batched of a GPU alone, the stand-in in the GPU's place; engine_test.cc has those of both engines.

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "cavs/models.h"
#include "cuda/engine_case.h"
#include "execute/session_access.h"
#include "helpers/evaluate.h"
#include "helpers/models.h"
#include "update/step_sum.h"

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

/// Minibatches of a step are added on the GPU as the host adds them.
TEST_F(CudaBatched, AddsGradientsByTheTree) {
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);
  const Bench bench(zoo.model, zoo.graphs);
  Session session(bench.program, bench.parameters, gpu_session);
  Gradients on_gpu(*bench.parameters), on_host(*bench.parameters);
  const auto sum = detail::SessionAccess::engine(session).make_sum(*bench.parameters, on_gpu);
  HostStepSum host(*bench.parameters, on_host);
  for (std::int32_t minibatches = 1; minibatches <= 6; ++minibatches) {
    SCOPED_TRACE(std::to_string(minibatches) + " minibatches");
    sum->begin(minibatches), host.begin(minibatches);
    for (std::int32_t m = 0; m < minibatches; ++m) {
      const std::int32_t sample[] = {(m + minibatches) % 6};
      cavs::Run run = session.forward(*bench.bound, sample);
      run.backward(sum->next());
      sum->add();
      run.backward(host.next());
      host.add();
    }
    EXPECT_EQ(on_gpu.table_rows, on_host.table_rows);
    for (int p = 0; p < bench.parameters->size(); ++p) {
      const auto found = std::as_const(on_gpu).values(p), expected = std::as_const(on_host).values(p);
      EXPECT_TRUE(std::ranges::equal(found, expected)) << bench.parameters->info(p).name;  // but for the sign of 0
    }
  }
}

/// A step of several minibatches with averages leaves parameters, gradients and averages where they are.
TEST_F(CudaBatched, AddsAndAveragesWithoutTheHost) {
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);
  const Model model = find_model("tree-lstm").make({.vocabulary = 20'000, .embedding = 16, .hidden = 16, .classes = 5});
  TrainOptions options = options_of("adam");
  options.accumulate = 3, options.ema = 0.9;
  Trainer trainer(model, zoo.graphs, options);
  for (int step = 0; step < 2; ++step) trainer.step();
  const long long before = copied_bytes();
  for (int step = 0; step < 3; ++step) trainer.step();
  EXPECT_LT(copied_bytes() - before, 20'000 * 16 * 4) << "the bytes of the table";
}

}  // namespace
}  // namespace cavs::cuda
