// Tests of a GPU's engine batched only, on the stand-in. engine_test.cc tests both engines of a GPU.

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <utility>

#include "backend/cuda/driver.h"
#include "cavs/error.h"
#include "cavs/models.h"
#include "cuda/batched_step.h"
#include "cuda/engine_case.h"
#include "execute/session_access.h"
#include "helpers/evaluate.h"
#include "helpers/models.h"
#include "helpers/ranks.h"
#include "inspect/print_script.h"
#include "update/step_sum.h"

namespace cavs::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Tests of engine batched per model. In addition, the bits do not depend on the form of launches, and the values of a
/// sample do not depend on the other samples of the minibatch (law 4).
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

/// The engine's counts equal the driver's, for a run with a backward pass and for a training step.
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

/// Gradients of pushes that the caller supplies, as PyTorch does.
TEST_F(CudaBatched, AcceptsGradientsOfPushes) {
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

/// The GPU sums the minibatches of a step in the same order as the host.
TEST_F(CudaBatched, AddsGradientsByTheTree) {
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);
  const Bench bench(zoo.model, zoo.graphs);
  Session session(bench.program, bench.parameters, gpu_session);
  Gradients on_gpu(*bench.parameters), on_host(*bench.parameters);
  const auto sum = detail::SessionAccess::engine(session).make_sum(*bench.parameters, on_gpu);
  HostStepSum host(*bench.parameters, on_host);
  for (std::int32_t minibatches = 1; minibatches <= 6; ++minibatches) {
    SCOPED_TRACE(std::to_string(minibatches) + " minibatches");
    sum->begin(minibatches);
    host.begin(minibatches);
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
      EXPECT_TRUE(std::ranges::equal(found, expected)) << bench.parameters->info(p).name;  // equal up to the sign of 0
    }
  }
}

/// A step of several minibatches with averages copies no parameters, gradients or averages.
TEST_F(CudaBatched, AddsAndAveragesWithoutTheHost) {
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);
  const Model model = find_model("tree-lstm").make({.vocabulary = 20'000, .embedding = 16, .hidden = 16, .classes = 5});
  TrainOptions options = options_of("adam");
  options.accumulate = 3;
  options.ema = 0.9;
  Trainer trainer(model, zoo.graphs, options);
  for (int step = 0; step < 2; ++step) trainer.step();
  const long long before = copied_bytes();
  for (int step = 0; step < 3; ++step) trainer.step();
  EXPECT_LT(copied_bytes() - before, 20'000 * 16 * 4) << "less than the table";
}

/// Ranks exchange their sums through the host, but the GPU clips and updates. The last step of an epoch has fewer
/// minibatches than ranks. With one sample, all steps have.
TEST_F(CudaBatched, HasTheBitsOfOneRankOnSeveral) {
  TrainOptions options = options_of("adam");
  options.batch_size = 2;
  options.accumulate = 3;
  options.ema = 0.9;
  options.clip_norm = 0.01;
  for (const int samples : {13, 1}) {
    const ZooCase zoo = zoo_case("tree-lstm", samples, 0.2);
    const auto train = [&](std::shared_ptr<Job> job) {
      TrainOptions on_job = options;
      on_job.job = std::move(job);
      Trainer trainer(zoo.model, zoo.graphs, on_job);
      for (int step = 0; step < 4; ++step) trainer.step();
      return trainer.checkpoint();
    };
    const Checkpoint one = train(nullptr);
    for (const int ranks : {2, 3})
      on_ranks(ranks, [&](const std::shared_ptr<Job>& job) {
        EXPECT_TRUE(train(job) == one) << ranks << " ranks, " << samples << " samples";
      });
  }
}

/// A block of this GPU has no memory for large tiles, whose kernels the stand-in would refuse.
TEST_F(CudaBatched, OmitsTilesForWhichABlockLacksMemory) {
  if (!is_standin()) GTEST_SKIP() << "only the stand-in has blocks of any size";
  const ZooCase zoo = zoo_case("tree-lstm", 5, 0);
  const Bench bench(zoo.model, zoo.graphs);
  const Result with_all = bench.run(all_samples(zoo.graphs), gpu_session);
  const Variable small("CAVS_STANDIN", "shared=90000");
  const Result without = bench.run(all_samples(zoo.graphs), gpu_session);
  for (int p = 0; p < bench.parameters->size(); ++p)
    expect_same_bits(without.gradients.values(p), with_all.gradients.values(p), bench.parameters->info(p).name);
}

/// A step in which one launch fails.
class FailedLaunches : public CudaBatched {
 protected:
  const ZooCase zoo = zoo_case("tree-lstm", 2, 0);

  /// @param like  further settings of the stand-in
  void expect_failure(long long launch, const std::string& like, const testing::Matcher<const std::string&>& says) {
    TrainOptions options = options_of("sgd");
    options.shuffle = false;
    const Variable failing("CAVS_STANDIN", "kernels=0 fail_launch=" + std::to_string(launches() + launch) + like);
    Trainer trainer(zoo.model, zoo.graphs, options);
    std::string said;  // ThrowsMessage would repeat the step to explain a mismatch
    try {
      trainer.step();
    } catch (const UserError& error) {
      said = error.what();
    }
    EXPECT_THAT(said, says) << "launch " << launch;
  }
};

/// The stand-in names the kernel, and the printed script gives the entry.
TEST_F(FailedLaunches, AreNamedWithWaitedLaunches) {
  if (!is_standin()) GTEST_SKIP() << "only the stand-in fails";
  const Variable form("CAVS_CUDA_LAUNCHES", "waited");
  const BatchedStep step(StepCase(zoo, PersistentStep::as_trained()), {.processors = 3});
  const PackedStep packed = step.pack(zoo.graphs, all_samples(zoo.graphs), {});
  const LaunchList list = step.launches(packed);
  std::istringstream table(to_text(packed.script, step.step().program(), packed.plan));
  std::vector<std::string> lines;
  for (std::string line; std::getline(table, line);) lines.push_back(line);

  std::vector<std::string> expected;
  for (std::size_t k = 0; k < list.items.size(); ++k) {
    if (k == list.backward) expected.push_back("kernel cavs_clear_gradients failed: ");
    const LaunchItem& item = list.items[k];
    std::istringstream line(lines[static_cast<std::size_t>(item.entry) + 1]);
    std::string entry, pass, function, stage, instruction, rows;
    line >> entry >> pass >> function >> stage >> instruction >> rows;
    const std::int32_t at = packed.script.entries[item.entry].step;
    expected.push_back("kernel " + step.kernels().kernels[item.kernel].name + " failed (step " + std::to_string(at) +
                       ", " + (pass == "forward" ? "F" : "∂F") + " of '" + function + "', stage " + stage +
                       ", instruction " + std::to_string(packed.script.entries[item.entry].instruction) + ": " +
                       instruction + ", rows " + rows + "): ");
  }
  for (const char* const kernel : {"sums", "update"})
    expected.push_back("kernel cavs_" + std::string(kernel) + " failed: ");
  for (std::size_t k = 0; k < expected.size(); ++k) {
    expect_failure(
        static_cast<long long>(k) + 1, "",
        AllOf(StartsWith(expected[k] + "a kernel was aborted: cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS"),
              HasSubstr("continue from the last checkpoint"), Not(HasSubstr("CAVS_CUDA_LAUNCHES"))));
    EXPECT_THAT(expected[k], StartsWith("kernel " + failed_kernel() + " failed"));
  }
}

TEST_F(FailedLaunches, ExplainInOtherFormsHowToNameTheKernel) {
  if (!is_standin()) GTEST_SKIP() << "only the stand-in fails";
  for (const char* const name : {"plain", "graphs", "early"}) {
    const Variable form("CAVS_CUDA_LAUNCHES", name);
    expect_failure(5, "",
                   AllOf(StartsWith("a kernel was aborted: "), HasSubstr("continue from the last checkpoint"),
                         HasSubstr("run engine batched again with CAVS_CUDA_LAUNCHES=waited, which names the kernel")));
  }
  expect_failure(5, " fail_with=" + std::to_string(kLaunchFailed),
                 StartsWith("a kernel was aborted: cuEventSynchronize: CUDA_ERROR_LAUNCH_FAILED"));
}

TEST_F(FailedLaunches, ReportALostGpu) {
  if (!is_standin()) GTEST_SKIP() << "only the stand-in fails";
  const auto says = AllOf(HasSubstr("the GPU is lost, or another process uses it exclusively: cu"),
                          HasSubstr("CUDA_ERROR_DEVICE_UNAVAILABLE"), HasSubstr("check nvidia-smi and dmesg (Xid)"),
                          HasSubstr("continue from the last checkpoint"));
  expect_failure(5, " fail_with=" + std::to_string(kUnavailable), says);
}

}  // namespace
}  // namespace cavs::cuda
