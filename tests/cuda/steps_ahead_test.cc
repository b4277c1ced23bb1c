// Steps that start on a GPU before the host has the result of the previous step. Only the timing may differ.

#include <gmock/gmock.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "backend/cuda/driver.h"
#include "cavs/data.h"
#include "cavs/fit.h"
#include "cuda/engine_case.h"
#include "graphs/error_text.h"
#include "helpers/models.h"
#include "helpers/trained.h"
#include "helpers/zoo_test.h"
#include "support/temporary_folder.h"
#include "train/number_graphs.h"

namespace cavs::cuda {
namespace {

using testing::HasSubstr;

class StepsAhead : public CudaBatched {
 protected:
  /// Results of a trainer that finishes or fails.
  struct Outcome {
    std::vector<double> losses, norms;
    std::string error;
  };
  /// @param ahead  true if each step announces the next one
  static Outcome run(Trainer& trainer, int steps, bool ahead) {
    Outcome outcome;
    try {
      for (int step = 0; step < steps; ++step) {
        const TrainStep done = trainer.step(ahead && step + 1 < steps);
        outcome.losses.push_back(done.loss);
        outcome.norms.push_back(done.gradient_norm);
      }
    } catch (const UserError& error) {
      outcome.error = error.what();
    }
    return outcome;
  }

  /// Checks that both trainers have the same results.
  static void expect_same(Trainer& found, Trainer& expected, int steps, const std::string& what) {
    const Outcome of_found = run(found, steps, true), of_expected = run(expected, steps, false);
    EXPECT_EQ(of_found.losses, of_expected.losses) << what;
    EXPECT_EQ(of_found.norms, of_expected.norms) << what;
    EXPECT_EQ(of_found.error, of_expected.error) << what;
    EXPECT_EQ(found.is_ahead(), false) << what;
    EXPECT_EQ(found.position().step, expected.position().step) << what;
    expect_same_state(found, expected, what);
  }
  static void expect_same_state(Trainer& found, Trainer& expected, const std::string& what) {
    const Checkpoint of_found = found.checkpoint(), of_expected = expected.checkpoint();
    EXPECT_TRUE(of_found.parameters == of_expected.parameters) << what;
    EXPECT_TRUE(of_found.optimizer == of_expected.optimizer) << what;
    EXPECT_EQ(of_found.optimizer->steps, of_expected.optimizer->steps) << what;
  }
};

TEST_F(StepsAhead, HaveTheSameBits) {
  const ZooCase zoo = zoo_case("tree-lstm", 9, 0);
  for (const char* const optimizer : {"sgd", "adam"}) {
    TrainOptions options = options_of(optimizer);
    options.clip_norm = 0.5;
    options.optimizer.schedule = {.decay = LearningRateSchedule::Decay::kLinear, .decay_steps = 20};
    Trainer ahead(zoo.model, zoo.graphs, options), plain(zoo.model, zoo.graphs, options);
    expect_same(ahead, plain, 12, optimizer);
  }
}

/// The next step has been launched when the result of this one is read, unless it starts a new epoch.
TEST_F(StepsAhead, AreLaunchedBeforeThePreviousResultIsRead) {
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);  // three steps
  Trainer trainer(zoo.model, zoo.graphs, options_of("sgd"));
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (const bool is_last : {false, false, true}) {
      trainer.step(true);
      EXPECT_EQ(trainer.is_ahead(), !is_last);
    }
    EXPECT_EQ(trainer.position().epoch, epoch + 1);
  }
  trainer.step(false);
  EXPECT_FALSE(trainer.is_ahead());
}

TEST_F(StepsAhead, WaitForSumsAndAverages) {
  const ZooCase zoo = zoo_case("tree-lstm", 9, 0);
  TrainOptions summed = options_of("sgd"), averaged = options_of("sgd");
  summed.accumulate = 2;
  averaged.ema = 0.9;
  for (const TrainOptions& options : {summed, averaged}) {
    Trainer ahead(zoo.model, zoo.graphs, options), plain(zoo.model, zoo.graphs, options);
    expect_same(ahead, plain, 3, "");
  }
}

/// A caller that reads the trainer sees the started step. The next call returns the step's result.
TEST_F(StepsAhead, AreVisibleToReadersOfTheTrainer) {
  const ZooCase zoo = zoo_case("tree-lstm", 9, 0);
  Trainer ahead(zoo.model, zoo.graphs, options_of("adam")), plain(zoo.model, zoo.graphs, options_of("adam"));
  EXPECT_EQ(ahead.step(true).loss, plain.step().loss);
  const double second = plain.step().loss;
  EXPECT_EQ(ahead.position().step, 2);
  EXPECT_TRUE(ahead.is_ahead());
  expect_same_state(ahead, plain, "the second step");
  EXPECT_EQ(ahead.step(true).loss, second);
  EXPECT_FALSE(ahead.is_ahead());
  EXPECT_EQ(ahead.step(true).loss, plain.step().loss);
  const double fourth = plain.step().loss;
  EXPECT_EQ(ahead.start().wait().loss, fourth);
  expect_same_state(ahead, plain, "the fourth step");
}

TEST_F(StepsAhead, EndWithTheTrainer) {
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);
  std::shared_ptr<Parameters> left;
  Trainer plain(zoo.model, zoo.graphs, options_of("sgd"));
  plain.step();
  plain.step();
  {
    Trainer trainer(zoo.model, zoo.graphs, options_of("sgd"));
    trainer.step(true);
    left = trainer.shared_parameters();
  }
  for (int p = 0; p < left->size(); ++p) expect_same_bits(left->values(p), plain.parameters().values(p), "left");
}

/// The step after the failed one would change the parameters, because its own loss and gradients are finite.
TEST_F(StepsAhead, ChangeNothingAfterAStepThatIsNotFinite) {
  const struct {
    const char* name;
    float weight, number;
  } cases[]{{"loss", 1, 1e30F}, {"gradient", 1e-10F, 1e25F}};
  for (const auto& [name, weight, number] : cases) {
    Model model;
    const auto W = model.parameter("W", {1, 1}, Initializer::constant(weight));
    model.vertex_function("f", [&](Vertex& v) { v.loss(sum_features(square(v.pull("x", 1) * W))); });
    const GraphSet graphs = number_graphs({1, 2, number, 3, 4});
    TrainOptions options = options_of("adam");
    options.batch_size = 1;
    options.shuffle = false;
    options.optimizer.lr = weight / 8;
    Trainer ahead(model, graphs, options), plain(model, graphs, options);
    expect_same(ahead, plain, 5, name);
    EXPECT_EQ(ahead.position().step, 2) << name;
    EXPECT_THAT(run(ahead, 2, true).error, HasSubstr("epoch 1, minibatch 3 (step 3)")) << "and again";
    expect_same_state(ahead, plain, name);
  }
}

/// An allocation fails while a step starts. The previous step has finished, and the failed one can be repeated.
TEST_F(StepsAhead, ThrowIfTheyCannotStart) {
  const Model model = find_model("fixed-lstm").make({.vocabulary = 20, .embedding = 4, .hidden = 8, .classes = 5});
  GraphSet chains(chain_schema());
  for (const int length : {3, 4, 400, 2, 3}) {
    InputGraph graph = to_chain(0, std::vector<std::int32_t>(static_cast<std::size_t>(length), 1));
    std::ranges::fill(graph.index_pulls[1], 2);
    chains.add(graph);
  }
  TrainOptions options = options_of("sgd");
  options.batch_size = 1;
  options.shuffle = false;
  options.session.memory_limit = 200 << 10;
  Trainer ahead(model, chains, options), plain(model, chains, options);
  expect_same(ahead, plain, 5, "memory");
  EXPECT_EQ(ahead.position().step, 2);
  EXPECT_THAT(run(ahead, 2, true).error, HasSubstr("a minibatch of 1 samples with 400 vertices needs"));
}

/// A step with a failing kernel reports the failure, although the next step was launched.
TEST_F(StepsAhead, ReportFailedKernels) {
  if (!is_standin()) GTEST_SKIP() << "only the stand-in fails";
  const ZooCase zoo = zoo_case("tree-lstm", 9, 0);
  for (const bool ahead : {false, true}) {
    const Variable failing("CAVS_STANDIN", "kernels=0 fail_launch=" + std::to_string(launches() + 5));
    Trainer trainer(zoo.model, zoo.graphs, options_of("sgd"));
    EXPECT_THAT(error_of([&] { trainer.step(ahead); }), HasSubstr("a kernel was aborted: cuEventSynchronize"));
  }
}

/// After an interrupt and a checkpoint, resumed training ends as if it had not stopped.
TEST_F(StepsAhead, FitStopsAndResumes) {
  const ZooCase zoo = zoo_case("tree-lstm", 9, 0);
  const GraphSet none(zoo.graphs.schema());
  const TemporaryFolder folder;
  const auto trainer_of = [&] { return Trainer(zoo.model, zoo.graphs, options_of("adam")); };
  const FitOptions options{.epochs = 2, .save = folder / "ahead", .save_every = 4};
  Trainer plain = trainer_of();
  ASSERT_TRUE(fit(plain, none, {.epochs = 2, .save = folder / "plain"}, {.step = [](const TrainStep&) {}}));
  for (const int asked : {1, 3, 4, 5, 8}) {
    int calls = 0;
    Trainer stopped = trainer_of();
    const FitHooks hooks{.look = false, .stop = [&] { return ++calls >= asked; }};
    ASSERT_FALSE(fit(stopped, none, options, hooks));
    const std::int64_t step = stopped.position().step;
    EXPECT_TRUE(step == asked || step == asked + 1) << step << " of " << asked;
    EXPECT_EQ(load_checkpoint(folder / "ahead").position.step, step);
    Trainer resumed = trainer_of();
    resumed.restore(load_checkpoint(folder / "ahead"));
    ASSERT_TRUE(fit(resumed, none, options));
    const Checkpoint found = load_checkpoint(folder / "ahead"), expected = load_checkpoint(folder / "plain");
    EXPECT_TRUE(found.parameters == expected.parameters);
    EXPECT_TRUE(found.optimizer == expected.optimizer);
    EXPECT_EQ(found.metrics, expected.metrics) << "mean losses of all steps";
  }
}

TEST_F(StepsAhead, TrainOnStreams) {
  const Model network = find_model("var-lstm").make({});
  const TemporaryFolder folder;
  std::ofstream text(folder / "text");
  for (int line = 0; line < 9; ++line) text << "a b " << line << " c " << line % 3 << "\n";
  text.close();
  const Dataset data = load_data("text:" + (folder / "text"), {.stream = true, .network = &network});
  ASSERT_NE(data.stream, nullptr);
  const Model model =
      find_model("var-lstm")
          .make({.vocabulary = data.words.size(), .embedding = 4, .hidden = 4, .classes = data.classes});
  TrainOptions options = options_of("sgd");
  options.shuffle_buffer = 5;
  Trainer ahead(model, data, options);
  const Outcome of_ahead = run(ahead, 15, true);
  Trainer plain(model, data, options);
  EXPECT_EQ(of_ahead.losses, run(plain, 15, false).losses);
  expect_same_state(ahead, plain, "stream");
}

/// On the stand-in's clock, which counts launches, the GPU always has work.
TEST_F(StepsAhead, CountWaits) {
  if (!is_standin()) GTEST_SKIP() << "needs the stand-in's clock";
  const ZooCase zoo = zoo_case("tree-lstm", 9, 0);
  TrainOptions options = options_of("sgd");
  options.session.profile = true;
  Trainer trainer(zoo.model, zoo.graphs, options);
  for (int step = 0; step < 4; ++step) {
    const RunStatistics s = trainer.step(true).statistics;
    EXPECT_GE(s.gpu_ms, static_cast<double>(s.launches + s.graph_nodes));
    EXPECT_EQ(s.gpu_idle_ms, 0);
    EXPECT_GT(s.launch_ms, 0);
    EXPECT_GT(s.wait_ms, 0);
  }
}

}  // namespace
}  // namespace cavs::cuda
