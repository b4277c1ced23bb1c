// Training and inference with the engines of a GPU, on the stand-in, where launches run on fibers.

#include <gmock/gmock.h>

#include <functional>
#include <limits>

#include "cavs/error.h"
#include "cavs/evaluator.h"
#include "cavs/trainer.h"
#include "cuda/engine_case.h"
#include "cuda/fibers/small_gpu.h"
#include "cuda/fibers/step_on_fibers.h"
#include "execute/session_access.h"
#include "helpers/evaluate.h"
#include "helpers/models.h"
#include "helpers/trained.h"

namespace cavs::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

INSTANTIATE_TEST_SUITE_P(Of, CudaEngines, testing::Values(EngineKind::kBatched, EngineKind::kPersistent),
                         [](const auto& engine) { return std::string(to_string(engine.param)); });

struct Update {
  std::string name;
  std::function<void(TrainOptions&)> set = [](TrainOptions&) {};
};

/// tests/cuda/fibers_test.cc tests the formulas.
TEST_P(CudaEngines, TrainLikeTheCpu) {
  const ZooCase zoo = zoo_case("tree-lstm", 5, 0);
  const Update updates[] = {
      {"sgd"},
      {"sgd",
       [](TrainOptions& o) {
         o.optimizer.momentum = 0.9;
         o.optimizer.nesterov = true;
       }},
      {"adagrad", [](TrainOptions& o) { o.clip_norm = 0.1; }},
      {"adam", [](TrainOptions& o) { o.optimizer.sparse_updates = true; }},
      {"adamw",
       [](TrainOptions& o) {
         o.optimizer.groups = {ParameterGroup::times("U*", 0.1), ParameterGroup::frozen("embedding")};
         o.optimizer.schedule.warmup_steps = 3;
       }},
  };
  for (const Update& update : updates) {
    const std::string what = update.name + " " + std::to_string(&update - updates);
    TrainOptions on_gpu = options_of(update.name.c_str()), on_cpu = options_of(update.name.c_str(), {});
    update.set(on_gpu);
    update.set(on_cpu);
    Trainer gpu(zoo.model, zoo.graphs, on_gpu), cpu(zoo.model, zoo.graphs, on_cpu);
    const long long before = launches();
    for (int step = 0; step < 3; ++step) {
      const TrainStep found = gpu.step(), expected = cpu.step();
      EXPECT_NEAR(found.loss, expected.loss, 1e-4 * expected.loss) << what;
      EXPECT_NEAR(found.gradient_norm, expected.gradient_norm, 1e-4 * expected.gradient_norm) << what;
      EXPECT_EQ(found.labels, expected.labels) << what;
    }
    const bool is_one_launch = GetParam() == EngineKind::kPersistent;
    EXPECT_EQ(launches() == before + 3, is_one_launch) << what;
    expect_close_parameters(gpu, cpu, what);
    const Optimizer &found = gpu.optimizer(), &expected = cpu.optimizer();
    for (int slot = 0; slot < expected.slots(); ++slot)
      for (int p = 0; p < cpu.parameters().size(); ++p)
        expect_close(found.slot(slot, p), expected.slot(slot, p), what + ", state", 1e-4);
  }
}

TEST_P(CudaEngines, HaveNoGradientOfATiledSoftmaxWithoutLabels) {
  const Model model = find_model("fixed-lstm").make({.vocabulary = 20, .embedding = 4, .hidden = 4, .classes = 300});
  GraphSet graphs(chain_schema());
  for (const std::int32_t label : {7, -1}) {
    InputGraph graph = to_chain(0, std::vector<std::int32_t>{1, 2, 3});
    std::ranges::fill(graph.index_pulls[1], label);
    graphs.add(graph);
  }
  TrainOptions options = options_of("sgd");
  options.batch_size = 1;
  options.shuffle = false;
  TrainOptions on_cpu = options;
  on_cpu.session = {.engine = EngineKind::kReference};
  Trainer gpu(model, graphs, options), cpu(model, graphs, on_cpu);
  for (int step = 0; step < 2; ++step) {
    gpu.step();
    cpu.step();
    expect_close_parameters(gpu, cpu, "step " + std::to_string(step));
  }
}

/// The input of the next launch is sent during a launch, except for the next epoch, which is not shuffled yet.
TEST_P(CudaEngines, SendTheNextMinibatchDuringALaunch) {
  if (!is_standin()) GTEST_SKIP() << "only the stand-in counts";
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);
  Trainer trainer(zoo.model, zoo.graphs, options_of("sgd"));
  trainer.step();
  for (int step = 0; step < 5; ++step) {  // past the end of an epoch
    const long long before = uploads_beside_launches();
    trainer.step();
    const bool ends_epoch = trainer.position().sample == 0;
    EXPECT_GE(uploads_beside_launches(), before + (ends_epoch ? 0 : 1)) << step;
  }
}

/// Plans leave small steps to one processor. These steps are large enough to be shared.
TEST_F(CudaPersistent, MultiplyWithWeightsInRegisters) {
  const Model model = find_model("gru").make({.vocabulary = 20, .embedding = 4, .hidden = 40, .classes = 5});
  const GraphSet chains = random_chains(24, 20, 11, 4);
  TrainOptions on_gpu = options_of("sgd"), on_cpu = options_of("sgd", {});
  on_gpu.batch_size = on_cpu.batch_size = 24;
  const PersistentStep step(model, few_processors(3), PersistentStep::kSmallBlocks, PersistentStep::as_trained());
  StepOptions as_planned;
  as_planned.all_share = false;
  const PackedStep packed = step.pack(chains, all_samples(chains), as_planned);
  int owned = 0;
  for (std::int32_t e = 0; e < packed.words[kEntryCountWord]; ++e)
    owned += (packed.words[packed.words[kEntriesWord] + e * kEntryWords + kFlagsWord] & kOwned) != 0 ? 1 : 0;
  ASSERT_GT(owned, 0) << "no product is split by the owners of its weight";
  Trainer gpu(model, chains, on_gpu), cpu(model, chains, on_cpu);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(gpu.step().loss, cpu.step().loss, 1e-4);
  expect_close_parameters(gpu, cpu, "in registers");
}

/// The engine must not change the kernel's results, which the kernel's tests compare with the reference.
TEST_F(CudaPersistent, HaveTheBitsOfTheKernel) {
  const ZooCase zoo = zoo_case("tree-lstm-binary", 4, 0);
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    TrainOptions options = options_of("adam");
    options.batch_size = 4;
    options.shuffle = false;
    options.clip_norm = 0.5;
    options.session.precision = precision;
    Trainer trainer(zoo.model, zoo.graphs, options);
    EXPECT_EQ(trainer.session().precision(), precision);
    const KernelOnFibers kernel(PersistentStep(zoo.model, few_processors(3), {.warps = 2, .precision = precision},
                                               PersistentStep::as_trained()));
    const auto parameters = zoo.model.make_parameters();
    const StepOutcome expected = kernel.run(zoo.graphs, all_samples(zoo.graphs), *parameters,
                                            {.optimizer = options.optimizer, .clip_norm = 0.5F});
    const TrainStep found = trainer.step();
    EXPECT_EQ(found.loss, expected.result.loss / 4);
    EXPECT_EQ(found.gradient_norm, expected.result.norm);
    for (int p = 0; p < parameters->size(); ++p)
      expect_same_bits(trainer.parameters().values(p), expected.parameters[p], parameters->info(p).name);
  }
}

/// Forward and backward as separate calls, in training and inference.
class CudaPersistentOfModel : public CudaPersistent, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Zoo, CudaPersistentOfModel,
                         testing::Values("tree-lstm-binary", "bilstm-tagger", "lstm-nmt", "lrcn", "lattice-lstm"),
                         [](const auto& model) { return name_of(model.param); });

TEST_P(CudaPersistentOfModel, HasTheNumbersOfTheReference) {
  const ZooCase zoo = zoo_case(GetParam(), 5, 0.2);
  const std::vector<std::int32_t> samples{3, 1, 4};
  const Bench bench(zoo.model, zoo.graphs);
  SessionOptions options = gpu_session;
  options.check_scripts = true;
  expect_same_numbers(bench.run(samples, options), bench.run(samples, {.engine = EngineKind::kReference}),
                      *bench.parameters, zoo.name);
}

/// The engine plans and checks scripts per minibatch. The test removes the first step with rows from the plan.
TEST_F(CudaPersistent, ReportAScriptThatReadsUnwrittenData) {
  const ZooCase zoo = zoo_case("tree-lstm-binary", 4);
  const Bench bench(zoo.model, zoo.graphs);
  SessionOptions options = gpu_session;
  options.check_scripts = true;
  Session session(bench.program, bench.parameters, options);
  { const cavs::Run run = session.forward(*bench.bound, all_samples(zoo.graphs)); }
  cavs::Run::State& state = *detail::SessionAccess::impl(session).states.front();
  state.batch.plan.steps.erase(state.batch.plan.steps.begin());
  const auto prepare = [&] {
    for (bool first = true; state.run->prepare(state.batch, first); first = false) {
    }
  };
  EXPECT_THAT(prepare, ThrowsMessage<InternalError>(AllOf(HasSubstr("processors has faults"),
                                                          HasSubstr("column 0, which has not been written"))));
}

TEST_P(CudaEngines, PredictLikeTheReference) {
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);
  const auto samples = all_samples(zoo.graphs);
  const Bench bench(zoo.model, zoo.graphs, {.training = false});
  expect_same_numbers(bench.run(samples, gpu_session), bench.run(samples, {.engine = EngineKind::kReference}),
                      *bench.parameters, "inference");
}

/// Every CPU engine continues from the GPU's checkpoint and vice versa. The GPU continues its own with equal bits.
TEST_P(CudaEngines, SaveAndResume) {
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);
  const auto trained = [&](const TrainOptions& options, const Checkpoint* from) {
    auto trainer = std::make_unique<Trainer>(zoo.model, zoo.graphs, options);
    if (from != nullptr && options.session.device.kind == DeviceKind::kCuda)
      trainer->step();  // restore() must discard this step
    if (from != nullptr) trainer->restore(*from);
    trainer->step();
    trainer->step();
    return trainer;
  };
  const TrainOptions on_gpu = options_of("adam");
  const auto gpu = trained(on_gpu, nullptr);
  const Checkpoint of_gpu = gpu->checkpoint();
  gpu->step();
  gpu->step();
  expect_same_parameters(*trained(on_gpu, &of_gpu), *gpu);
  for (const EngineKind engine : {EngineKind::kBatched, EngineKind::kReference}) {
    const std::string name(option_names<EngineKind>()[static_cast<std::size_t>(engine)]);
    const TrainOptions on_cpu = options_of("adam", {.engine = engine});
    expect_close_parameters(*trained(on_cpu, &of_gpu), *gpu, name + " from the GPU's");
    const auto cpu = trained(on_cpu, nullptr);
    const Checkpoint of_cpu = cpu->checkpoint();
    cpu->step();
    cpu->step();
    expect_close_parameters(*trained(on_gpu, &of_cpu), *cpu, "on the GPU from that of " + name);
  }
}

/// A checkpoint in the middle of training changes nothing, nor does reading the parameters.
TEST_P(CudaEngines, ContinueAfterACheckpointAndReads) {
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);
  Trainer watched(zoo.model, zoo.graphs, options_of("adam")), alone(zoo.model, zoo.graphs, options_of("adam"));
  for (int step = 0; step < 3; ++step) {
    watched.step();
    alone.step();
    watched.checkpoint();
    evaluate(zoo.model, watched.shared_parameters(), zoo.graphs, gpu_session);
  }
  expect_same_parameters(watched, alone);
}

/// A finished trainer leaves the parameters of its last step.
TEST_P(CudaEngines, CopyParametersBackWhenTheyEnd) {
  const ZooCase zoo = zoo_case("tree-lstm", 4, 0);
  std::shared_ptr<Parameters> left;
  Trainer other(zoo.model, zoo.graphs, options_of("sgd"));
  other.step();
  {
    Trainer trainer(zoo.model, zoo.graphs, options_of("sgd"));
    trainer.step();
    left = trainer.shared_parameters();
  }
  for (int p = 0; p < left->size(); ++p) expect_same_bits(left->values(p), other.parameters().values(p), "left");
}

TEST_P(CudaEngines, StartedStepsHaveTheSameBits) {
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);
  Trainer begun(zoo.model, zoo.graphs, options_of("adagrad")), stepped(zoo.model, zoo.graphs, options_of("adagrad"));
  std::optional<double> before;
  for (int step = 0; step < 4; ++step) {
    const PendingStep pending = begun.start();
    EXPECT_EQ(pending.stale_loss(), before);
    const double loss = stepped.step().loss;
    EXPECT_EQ(pending.wait().loss, loss);
    before = loss;
  }
  expect_same_parameters(begun, stepped);
}

/// Minibatches of all sizes, alternately larger and smaller.
TEST_P(CudaEngines, GrowWithTheirMinibatches) {
  const ZooCase zoo = zoo_case("lrcn", 7, 0);
  const Bench bench(zoo.model, zoo.graphs);
  Session session(bench.program, bench.parameters, gpu_session);
  const auto all = all_samples(zoo.graphs);
  for (const std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{2}, all.size(), std::size_t{1}}) {
    const auto samples = std::span(all).last(size);
    session.prefetch(*bench.bound, samples);
    cavs::Run run = session.forward(*bench.bound, samples);
    expect_same_numbers(result_of(run, *bench.program, *bench.parameters),
                        bench.run(samples, {.engine = EngineKind::kReference}), *bench.parameters,
                        std::to_string(size));
  }
}

/// Discards prepared minibatches that are not run.
TEST_P(CudaEngines, DiscardUnusedPreparedMinibatches) {
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);
  const Bench bench(zoo.model, zoo.graphs, {.training = false});
  const std::vector<std::int32_t> wanted{0, 1}, dropped{2, 3};
  const double expected = bench.run(wanted, gpu_session).loss;
  Session session(bench.program, bench.parameters, gpu_session);
  session.prefetch(*bench.bound, dropped);
  EXPECT_EQ(session.forward(*bench.bound, wanted).loss(), expected);
  session.prefetch(*bench.bound, dropped);
  session.prefetch(*bench.bound, dropped);
  EXPECT_EQ(session.forward(*bench.bound, wanted).loss(), expected);
  session.prefetch(*bench.bound, dropped);
}

TEST_P(CudaEngines, AccumulateAndAverage) {
  const ZooCase zoo = zoo_case("tree-lstm", 10, 0);
  for (const int accumulate : {2, 5}) {
    TrainOptions on_gpu = options_of("adam"), on_cpu = options_of("adam", {});
    for (TrainOptions* const options : {&on_gpu, &on_cpu}) {
      options->ema = 0.9;
      options->accumulate = accumulate;
    }
    Trainer gpu(zoo.model, zoo.graphs, on_gpu), cpu(zoo.model, zoo.graphs, on_cpu);
    for (int step = 0; step < 3; ++step) {
      gpu.step();
      cpu.step();
    }
    expect_close_parameters(gpu, cpu, std::to_string(accumulate) + " minibatches");
    for (int p = 0; p < cpu.parameters().size(); ++p)
      expect_close(gpu.evaluated_parameters()->values(p), cpu.evaluated_parameters()->values(p), "average", 1e-4);
  }
}

/// The caller reads and changes gradients on the host, so the host updates.
TEST_P(CudaEngines, UpdateWithGradientsThatTheCallerChanges) {
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);
  const auto trained = [&](const SessionOptions& options) {
    const Bench bench(zoo.model, zoo.graphs);
    Session session(bench.program, bench.parameters, options);
    Optimizer optimizer(optimizer_defaults("adam"), *bench.parameters);
    Gradients gradients(*bench.parameters);
    for (int step = 0; step < 2; ++step) {
      cavs::Run run = session.forward(*bench.bound, all_samples(zoo.graphs));
      run.backward(gradients);
      for (float& x : gradients.flat()) x *= 0.5F;
      EXPECT_TRUE(session.update(run, gradients, optimizer, {.clip_norm = 0.1}).updated);
    }
    return bench.parameters;
  };
  const auto found = trained(gpu_session), expected = trained({});
  for (int p = 0; p < expected->size(); ++p)
    expect_close(found->values(p), expected->values(p), expected->info(p).name, 1e-4);
}

/// The caller's memory has the new values after every step.
TEST_P(CudaEngines, UpdateParametersInTheCallersMemory) {
  const ZooCase zoo = zoo_case("tree-lstm", 4, 0);
  Trainer bound(zoo.model, zoo.graphs, options_of("sgd")), plain(zoo.model, zoo.graphs, options_of("sgd"));
  const std::span<const float> values = bound.parameters().values(0);
  std::vector<float> mine(values.begin(), values.end());
  bound.parameters().bind(0, mine.data());
  bound.step();
  plain.step();
  expect_same_bits(mine, plain.parameters().values(0), "bound");
  std::ranges::fill(mine, 0.25F);
  bound.parameters().touch(0);
  const auto other = plain.parameters().values(0);
  std::ranges::fill(other, 0.25F);
  plain.parameters().touch(0);
  bound.step();
  plain.step();
  expect_same_parameters(bound, plain);
}

TEST_P(CudaEngines, StopIfALossIsNotFinite) {
  const ZooCase zoo = zoo_case("tree-lstm", 4, 0);
  Trainer trainer(zoo.model, zoo.graphs, options_of("sgd"));
  trainer.step();
  const std::span<float> values = trainer.parameters().values(1);
  const std::vector<float> before(values.begin(), values.end());
  values[0] = std::numeric_limits<float>::infinity();
  trainer.parameters().touch(1);
  EXPECT_THAT([&] { trainer.step(); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("training stopped in epoch 1, minibatch 2"),
                                             HasSubstr("vertex function"), HasSubstr("lower the learning rate"))));
  const std::span<float> after = trainer.parameters().values(1);
  EXPECT_EQ(after[0], std::numeric_limits<float>::infinity());
  after[0] = before[0];
  trainer.parameters().touch(1);
  expect_same_bits(after, before, "parameters");
  trainer.step();
}

}  // namespace
}  // namespace cavs::cuda
