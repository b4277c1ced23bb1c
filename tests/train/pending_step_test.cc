// Trainer::start: steps that run while the caller continues.

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cavs/data.h"
#include "cavs/error.h"
#include "cavs/models.h"
#include "cavs/trainer.h"
#include "helpers/compare.h"
#include "helpers/models.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class Pending : public testing::Test {
 protected:
  TrainOptions options(int threads = 2) {
    TrainOptions o{.batch_size = 3, .optimizer = optimizer_defaults("adam")};
    o.optimizer.lr = 0.01;
    o.session.threads = threads;
    return o;
  }

  GraphSet graphs_ = random_samples(find_model("tree-lstm"), 8, 50, 11, 8);
  Model model_ = small_model("tree-lstm", 0.2);
};

void expect_same_state(Trainer& found, Trainer& expected) { EXPECT_EQ(found.checkpoint(), expected.checkpoint()); }

TEST_F(Pending, StepsHaveTheBitsOfSynchronousSteps) {
  for (const int threads : {1, 2})
    for (const bool wait : {true, false}) {
      TrainOptions o = options(threads);
      o.accumulate = 2;
      o.ema = 0.9;
      o.clip_norm = 0.5;
      Trainer found(model_, graphs_, o), expected(model_, graphs_, o);
      for (int step = 0; step < 5; ++step) {
        const TrainStep e = expected.step();
        const PendingStep pending = found.start();
        if (!wait) continue;
        const TrainStep f = pending.wait();
        EXPECT_EQ(f.loss, e.loss);
        EXPECT_EQ(f.gradient_norm, e.gradient_norm);
        EXPECT_EQ(pending.wait().loss, e.loss) << "again";
      }
      expect_same_state(found, expected);
      EXPECT_EQ(found.step().loss, expected.step().loss);
    }
}

TEST_F(Pending, TheStaleLossIsTheLossOfTheStepBefore) {
  Trainer trainer(model_, graphs_, options());
  const PendingStep first = trainer.start(), second = trainer.start();
  EXPECT_EQ(first.stale_loss(), std::nullopt);
  EXPECT_EQ(second.stale_loss(), first.wait().loss);
  const double third = trainer.step().loss;
  EXPECT_EQ(trainer.start().stale_loss(), third);
  trainer.restore(trainer.checkpoint());
  EXPECT_EQ(trainer.start().stale_loss(), std::nullopt);
}

/// A stream of lines that calls a function before each line. The function can make a step wait or fail.
class WatchedStream final : public SampleStream {
 public:
  WatchedStream(std::shared_ptr<SampleStream> lines, std::function<void()> before)
      : lines_(std::move(lines)), before_(std::move(before)) {}
  GraphSchema schema() const override { return lines_->schema(); }
  std::int64_t samples() const override { return lines_->samples(); }
  std::uint64_t content_hash() const override { return lines_->content_hash(); }
  void rewind() override { lines_->rewind(); }
  InputGraph next() override {
    before_();
    return lines_->next();
  }

 private:
  std::shared_ptr<SampleStream> lines_;
  std::function<void()> before_;
};

class PendingOnStream : public Pending {
 protected:
  std::unique_ptr<Trainer> trainer(std::function<void()> before) {
    const Dataset data = load_data("text:" + file_, {.stream = true});
    const Model model =
        find_model("gru").make({.vocabulary = data.words.size(), .embedding = 4, .hidden = 6, .classes = data.classes});
    return std::make_unique<Trainer>(model, std::make_shared<WatchedStream>(data.stream, std::move(before)), options());
  }

 private:
  const TemporaryFolder folder_;
  const std::string file_ = written(folder_ / "lines.txt", "a\nb c\nc\nd c b\na b\nb\na a\nd\n");
};

TEST_F(PendingOnStream, TheCallerContinuesWhileAStepRuns) {
  std::promise<void> released;
  const std::shared_future<void> release = released.get_future().share();
  const auto owner = trainer([release] { release.wait(); });
  Trainer& trainer = *owner;
  const PendingStep pending = trainer.start();
  EXPECT_FALSE(pending.done());
  EXPECT_EQ(trainer.steps_per_epoch(), 3);
  released.set_value();
  EXPECT_EQ(pending.wait().samples, 3);
  EXPECT_TRUE(pending.done());
}

TEST_F(Pending, MembersThatReadItsResultsWaitForTheStep) {
  Trainer trainer(model_, graphs_, options());
  Checkpoint checkpoint = trainer.checkpoint();
  const std::vector<std::function<void()>> members{[&] { trainer.step(); },
                                                   [&] { trainer.start(); },
                                                   [&] { trainer.position(); },
                                                   [&] { trainer.parameters(); },
                                                   [&] { trainer.optimizer(); },
                                                   [&] { trainer.shared_parameters(); },
                                                   [&] { trainer.session(); },
                                                   [&] { trainer.evaluated_parameters(); },
                                                   [&] { checkpoint = trainer.checkpoint(); },
                                                   [&] { trainer.restore(checkpoint); }};
  for (std::size_t m = 0; m < members.size(); ++m) {
    const PendingStep pending = trainer.start();
    members[m]();
    EXPECT_TRUE(pending.done()) << "member " << m;
  }
}

/// Steps fail while `fails_` is true.
class FailingSteps : public PendingOnStream {
 protected:
  static auto throws() { return ThrowsMessage<UserError>(HasSubstr("lost the stream")); }

  bool fails_ = true;
  std::unique_ptr<Trainer> trainer_ = trainer([this] {
    if (fails_) throw UserError("lost the stream");
  });
  std::unique_ptr<Trainer> expected_ = trainer([] {});
};

TEST_F(FailingSteps, ThrowInWait) {
  const PendingStep pending = trainer_->start();
  EXPECT_THAT([&] { pending.wait(); }, throws());
  EXPECT_THAT([&] { pending.wait(); }, throws()) << "every time";
  expect_same_state(*trainer_, *expected_);
  fails_ = false;
  EXPECT_EQ(trainer_->start().wait().loss, expected_->step().loss);
  expect_same_state(*trainer_, *expected_);
}

TEST_F(FailingSteps, ThrowInTheNextCallWithoutAWait) {
  const std::vector<std::function<void()>> calls{[&] { trainer_->step(); }, [&] { trainer_->start(); },
                                                 [&] { trainer_->position(); }, [&] { trainer_->parameters(); }};
  for (const auto& call : calls) {
    trainer_->start();
    EXPECT_THAT(call, throws());
    expect_same_state(*trainer_, *expected_);
  }
  const PendingStep pending = trainer_->start();
  EXPECT_THAT([&] { trainer_->step(); }, throws());
  EXPECT_THAT([&] { pending.wait(); }, throws());
}

TEST_F(FailingSteps, MayBeIgnored) {
  trainer_->start();
  EXPECT_NO_THROW(trainer_.reset());
}

TEST_F(Pending, TheDestructorOfATrainerWaitsForTheStep) {
  std::optional<PendingStep> pending;
  {
    Trainer trainer(model_, graphs_, options());
    pending = trainer.start();
  }
  EXPECT_TRUE(pending->done());
  Trainer expected(model_, graphs_, options());
  EXPECT_EQ(pending->wait().loss, expected.step().loss);
}

TEST_F(Pending, SeveralThreadsMayWaitForAStep) {
  Trainer trainer(model_, graphs_, options());
  const PendingStep pending = trainer.start();
  auto other = std::async(std::launch::async, [pending] { return pending.wait().loss; });
  EXPECT_EQ(pending.wait().loss, other.get());
}

TEST_F(Pending, AForkRefusesTheTrainerInsteadOfWaitingForever) {
  auto trainer = std::make_unique<Trainer>(model_, graphs_, options());
  const PendingStep pending = trainer->start();
  const pid_t child = fork();
  if (child == 0) {
    const std::vector<std::function<void()>> uses{[&] { trainer->position(); }, [&] { trainer->step(); }};
    std::size_t refused = 0;
    for (const auto& use : uses) try {
        use();
      } catch (const UserError&) {
        ++refused;
      }
    trainer.reset();  // must not wait for a thread, which the fork does not have
    _exit(refused == uses.size() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
  EXPECT_GT(pending.wait().loss, 0);
}

}  // namespace
}  // namespace cavs
