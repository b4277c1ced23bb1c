// The engine persistent: the numbers of the reference, and the bits of batched.

#include <gmock/gmock.h>

#include "cavs/checkpoint.h"
#include "cavs/trainer.h"
#include "helpers/evaluate.h"
#include "helpers/sanitizer.h"
#include "helpers/trained.h"
#include "helpers/zoo_test.h"

namespace cavs {
namespace {

constexpr EngineKind kBatched = EngineKind::kBatched, kPersistent = EngineKind::kPersistent;

class PersistentOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, PersistentOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

TEST_P(PersistentOfModel, HasTheNumbersOfTheReferenceAndTheBitsOfBatched) {
  const ZooCase zoo = make(fewer(12), 0.2);
  const Bench bench(zoo.model, zoo.graphs);
  const auto all = all_samples(zoo.graphs);
  const auto policies = every_policy(bench);
  for (const std::size_t batch : {std::size_t{1}, all.size()}) {
    const auto samples = std::span(all).first(batch);
    const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
    for (SessionOptions options : policies) {
      const Result batched = bench.run(samples, options);
      options.engine = kPersistent;
      for (const int threads : {1, 2, 3}) {
        options.threads = threads;
        const Result found = bench.run(samples, options);
        const std::string what = zoo.name + ", " + options.policy + ", " + std::to_string(threads) +
                                 " threads, batch " + std::to_string(batch);
        expect_same_numbers(found, reference, *bench.parameters, what);
        expect_same_result_bits(found, batched, what);
      }
    }
  }
}

TEST_P(PersistentOfModel, HasTheBitsOfBatchedWhateverIsSwitchedOff) {
  const ZooCase zoo = make(fewer(6));
  const auto samples = all_samples(zoo.graphs);
  for (const std::string pass : {"lazy", "fuse_rows", "merge_products", "task_parallel"}) {
    const Bench bench(zoo.model, zoo.graphs, {.disabled_passes = {pass}});
    expect_same_result_bits(bench.run(samples, {.threads = 2, .engine = kPersistent}), bench.run(samples),
                            zoo.name + ", without " + pass);
  }
}

TEST_P(PersistentOfModel, PredictsWithTheBitsOfBatched) {
  const ZooCase zoo = make(fewer(6));
  const auto samples = all_samples(zoo.graphs);
  const Bench bench(zoo.model, zoo.graphs, {.training = false});
  expect_same_result_bits(bench.run(samples, {.threads = 2, .engine = kPersistent}), bench.run(samples), zoo.name);
}

struct Training {
  const char* optimizer;
  double clip_norm, weight_decay;
};
constexpr Training kTrainings[] = {
    {"sgd", 0, 0}, {"sgd", 0.5, 0.01}, {"adagrad", 0, 0.01}, {"adam", 0.5, 0}, {"adamw", 0, 0.01}};

TrainOptions train_options(const Training& training, EngineKind engine, int threads) {
  TrainOptions options;
  options.batch_size = 2, options.session.engine = engine, options.session.threads = threads;
  options.session.defer_from = 0;
  options.optimizer = optimizer_defaults(training.optimizer), options.optimizer.lr = 0.01;
  options.optimizer.weight_decay = training.weight_decay;
  options.clip_norm = training.clip_norm, options.gradient_norm = true;
  return options;
}

TEST_P(PersistentOfModel, TrainsWithTheBitsOfBatched) {
  const ZooCase zoo = make(fewer(8), 0.2);
  for (const Training& training : kTrainings) {
    Trainer expected(zoo.model, zoo.graphs, train_options(training, kBatched, 1));
    Trainer found(zoo.model, zoo.graphs, train_options(training, kPersistent, 2));
    for (int step = 0; step < 4; ++step) {
      const TrainStep a = found.step(), b = expected.step();
      EXPECT_EQ(a.loss, b.loss) << zoo.name << ", " << training.optimizer;
      EXPECT_EQ(a.gradient_norm, b.gradient_norm) << zoo.name << ", " << training.optimizer;
    }
    expect_same_parameters(found, expected, zoo.name + ", " + training.optimizer);
  }
}

GraphSet trees() { return random_samples(find_model("tree-lstm-binary"), 12, 50, 11); }

TEST(Persistent, EitherEngineResumesWhatTheOtherHasTrained) {
  const GraphSet graphs = trees();
  const Model model = small_model("tree-lstm-binary", 0.2, 48);
  const Training training{"adam", 0.5, 0};
  Trainer expected(model, graphs, train_options(training, kBatched, 1));
  for (int step = 0; step < 6; ++step) expected.step();
  for (const auto& [first, second] : {std::pair{kBatched, kPersistent}, {kPersistent, kBatched}}) {
    Trainer before(model, graphs, train_options(training, first, 2)),
        after(model, graphs, train_options(training, second, 2));
    for (int step = 0; step < 3; ++step) before.step();
    Checkpoint checkpoint;
    before.capture(checkpoint);
    after.restore(checkpoint);
    for (int step = 0; step < 3; ++step) after.step();
    expect_same_parameters(after, expected, std::string(to_string(first)) + ", then " + std::string(to_string(second)));
  }
}

TEST(Persistent, HasTheBitsOfBatchedInBf16AndWithOrderedRows) {
  const GraphSet graphs = trees();
  const Bench bench(small_model("tree-lstm-binary", 0, 48), graphs);
  const auto samples = all_samples(graphs);
  for (SessionOptions options : {SessionOptions{.precision = Precision::kBf16}, SessionOptions{.order_rows = true}}) {
    const Result expected = bench.run(samples, options);
    options.engine = kPersistent, options.threads = 2;
    expect_same_result_bits(bench.run(samples, options), expected, to_string(options.precision).data());
  }
}

/// Weights whose columns are no multiple of a unit, and fewer units than threads.
TEST(Persistent, SomeThreadsMayOwnNothing) {
  const GraphSet graphs = random_samples(find_model("tree-lstm"), 12, 50, 11);
  for (const std::int32_t hidden : {1, 17, 33}) {
    const Bench bench(small_model("tree-lstm", 0, hidden), graphs);
    const auto samples = all_samples(graphs);
    expect_same_result_bits(bench.run(samples, {.threads = 5, .engine = kPersistent}), bench.run(samples),
                            std::to_string(hidden));
  }
}

}  // namespace
}  // namespace cavs
