// Engine kAuto: how it is decided, and that no bit depends on it.

#include "train/engine_choice.h"

#include <gmock/gmock.h>

#include "helpers/compare.h"
#include "helpers/models.h"
#include "helpers/sanitizer.h"
#include "helpers/zoo_test.h"

namespace cavs {
namespace {

constexpr EngineKind kBatched = EngineKind::kBatched, kPersistent = EngineKind::kPersistent;
constexpr int kRound = 2 * EngineChoice::kTurn;

struct Outcome {
  EngineKind engine;
  int steps;
};

/// What is chosen where persistent takes `ratio` of the time of batched, in minibatches of different sizes; the first
/// step of a turn takes ten times as long.
Outcome choose(double ratio) {
  EngineChoice choice;
  int steps = 0;
  for (bool made = false; !made; ++steps) {
    const std::int64_t vertices = 10 + steps * 7 % 50;
    const double warm = steps % EngineChoice::kTurn == 0 ? 10 : 1;
    made = choice.add(warm * static_cast<double>(vertices) * (choice.next() == kPersistent ? ratio : 1), vertices);
    EXPECT_EQ(choice.is_made(), made);
  }
  EXPECT_NEAR(choice.times().batched, 1e6, 1);
  EXPECT_NEAR(choice.times().persistent, ratio * 1e6, 1);
  return {choice.next(), steps};
}

TEST(EngineChoice, TakesTurns) {
  EngineChoice choice;
  for (int step = 0; step < 2 * kRound; ++step) {
    EXPECT_EQ(choice.next(), step / EngineChoice::kTurn % 2 == 0 ? kBatched : kPersistent) << step;
    choice.add(1, 1);
  }
}

TEST(EngineChoice, IsTheFasterEngineAndBatchedInATie) {
  for (const double ratio : {0.3, 0.8, 0.9, 0.96}) EXPECT_EQ(choose(ratio).engine, kPersistent) << ratio;
  for (const double ratio : {0.98, 1.0, 1.04, 1.3, 4.0}) EXPECT_EQ(choose(ratio).engine, kBatched) << ratio;
}

TEST(EngineChoice, TakesLongerWhereItIsNotClear) {
  for (const double ratio : {0.3, 4.0}) EXPECT_EQ(choose(ratio).steps, EngineChoice::kLeastRounds * kRound) << ratio;
  for (const double ratio : {0.96, 1.04}) EXPECT_EQ(choose(ratio).steps, EngineChoice::kMostRounds * kRound) << ratio;
}

TEST(EngineChoice, DoesNotMindSomeSlowSteps) {
  EngineChoice choice;
  for (int step = 0; !choice.is_made(); ++step)
    choice.add(choice.next() == kPersistent ? (step % 8 == 6 ? 100 : 1) : 2, 1);
  EXPECT_EQ(choice.next(), kPersistent);
}

TEST(EngineChoice, DoesNotMindAMachineThatBecomesSlower) {
  EngineChoice choice;
  for (int step = 0; !choice.is_made(); ++step)
    choice.add((1 + step / kRound) * (choice.next() == kPersistent ? 0.9 : 1), 1);
  EXPECT_EQ(choice.next(), kPersistent);
}

TEST(EngineChoice, IsBatchedWherePersistentIsFasterNowAndThen) {
  EngineChoice choice;
  for (int step = 0; !choice.is_made(); ++step) {
    const double persistent = step / kRound % 2 == 0 ? 0.5 : 1.01;
    choice.add(choice.next() == kPersistent ? persistent : 1, 1);
  }
  EXPECT_EQ(choice.next(), kBatched);
}

TEST(EngineChoice, IsKept) {
  EngineChoice choice;
  while (!choice.add(choice.next() == kPersistent ? 1 : 2, 1)) {
  }
  for (int step = 0; step < 20; ++step) EXPECT_FALSE(choice.add(1000, 1));
  EXPECT_EQ(choice.next(), kPersistent);
}

TrainOptions train_options(std::string_view optimizer, EngineKind engine) {
  TrainOptions options;
  options.batch_size = 2, options.session.engine = engine, options.session.threads = 2;
  options.session.defer_from = 0;
  options.optimizer = optimizer_defaults(optimizer), options.optimizer.lr = 0.01;
  options.optimizer.weight_decay = optimizer == "sgd" ? 0.01 : 0;
  options.clip_norm = optimizer == "adam" ? 0.5 : 0;
  return options;
}

class AutoEngineOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, AutoEngineOfModel, testing::ValuesIn(fewer(zoo_names())), zoo_test_name);

/// A turn of batched, one of persistent, and half of another one of batched.
TEST_P(AutoEngineOfModel, TrainsWithTheBitsOfBatched) {
  const ZooCase zoo = make(fewer(4), 0.2);
  for (const std::string_view optimizer : {"sgd", "adagrad", "adam", "adamw"}) {
    Trainer found(zoo.model, zoo.graphs, train_options(optimizer, EngineKind::kAuto));
    Trainer expected(zoo.model, zoo.graphs, train_options(optimizer, kBatched));
    const std::string what = zoo.name + ", " + std::string(optimizer);
    for (int step = 0; step < kRound + 2; ++step)
      ASSERT_EQ(found.step().loss, expected.step().loss) << what << ", step " << step;
    Checkpoint a, b;
    found.capture(a), expected.capture(b);
    EXPECT_EQ(a, b) << what;
  }
}

class AutoEngine : public testing::Test {
 protected:
  GraphSet graphs_ = random_samples(find_model("tree-lstm-binary"), 8, 50, 11);
  Model model_ = small_model("tree-lstm-binary", 0.2, 48);
};

TEST_F(AutoEngine, ComesToAChoiceAndSaysSo) {
  Trainer trainer(model_, graphs_, train_options("sgd", EngineKind::kAuto)),
      expected(model_, graphs_, train_options("sgd", kBatched));
  int steps = 0;
  for (; trainer.engine() == EngineKind::kAuto; ++steps) {
    EXPECT_EQ(trainer.session().engine(), steps / EngineChoice::kTurn % 2 == 0 ? kBatched : kPersistent);
    EXPECT_FALSE(trainer.engine_times());
    ASSERT_LT(steps, EngineChoice::kMostRounds * kRound);
    trainer.start();
    expected.step();
  }
  EXPECT_GE(steps, EngineChoice::kLeastRounds * kRound);
  EXPECT_EQ(trainer.session().engine(), trainer.engine());
  const auto times = trainer.engine_times();
  ASSERT_TRUE(times);
  EXPECT_GT(times->batched, 0);
  EXPECT_GT(times->persistent, 0);
  for (int step = 0; step < 3; ++step) EXPECT_EQ(trainer.step().loss, expected.step().loss);
  Checkpoint a, b;
  trainer.capture(a), expected.capture(b);
  EXPECT_EQ(a, b);
}

TEST_F(AutoEngine, IsResumedByAnyEngineWhosesoeverTurnItWas) {
  const int all = 12;
  Trainer expected(model_, graphs_, train_options("adam", kBatched));
  for (int step = 0; step < all; ++step) expected.step();
  Checkpoint whole;
  expected.capture(whole);
  for (const int until : {2, 6, 9})  // batched, persistent, batched
    for (const EngineKind then : {kBatched, kPersistent, EngineKind::kAuto}) {
      Trainer before(model_, graphs_, train_options("adam", EngineKind::kAuto)),
          after(model_, graphs_, train_options("adam", then));
      for (int step = 0; step < until; ++step) before.step();
      Checkpoint checkpoint;
      before.capture(checkpoint);
      after.restore(checkpoint);
      for (int step = until; step < all; ++step) after.step();
      Checkpoint found;
      after.capture(found);
      EXPECT_EQ(found, whole) << until << " steps, then " << to_string(then);
    }
}

/// The caller's changes of parameters and optimiser reach both engines.
TEST_F(AutoEngine, SeesWhatTheCallerChanges) {
  Trainer found(model_, graphs_, train_options("adam", EngineKind::kAuto)),
      expected(model_, graphs_, train_options("adam", kBatched));
  for (int step = 0; step < 2 * kRound; ++step) {
    for (Trainer* t : {&found, &expected}) {
      Parameters& parameters = t->parameters();
      const int p = step % parameters.size();
      parameters.values(p)[0] += 0.01F;
      parameters.touch(p);
      if (step == 6) t->optimizer().set_rate_factor(0.5);
    }
    ASSERT_EQ(found.step().loss, expected.step().loss) << step;
  }
}

TEST_F(AutoEngine, IsBatchedForASessionByItself) {
  const auto program = compile(model_, {.training = false});
  Session session(program, model_.make_parameters(), {.engine = EngineKind::kAuto});
  EXPECT_EQ(session.engine(), kBatched);
  EXPECT_EQ(Session(session, {.engine = kBatched}).engine(), kBatched);
}

}  // namespace
}  // namespace cavs
