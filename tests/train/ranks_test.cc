// Training on several ranks, here threads, has the bits of one rank.

#include "helpers/ranks.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <limits>
#include <mutex>

#include "cavs/trainer.h"
#include "helpers/compare.h"
#include "helpers/models.h"
#include "helpers/sanitizer.h"
#include "support/check.h"
#include "train/rank_sum.h"
#include "update/step_sum.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

constexpr std::int32_t kSamples = 44;  // the last step of an epoch has fewer minibatches than ranks

TrainOptions options_of(int minibatches, int threads) {
  TrainOptions options{.batch_size = 3, .clip_norm = 1, .accumulate = minibatches, .ema = 0.9};
  options.optimizer = optimizer_defaults("adam");
  options.session.threads = threads;
  return options;
}

/// The state after some steps, and their losses.
struct Trained {
  Checkpoint checkpoint;
  std::vector<double> losses;
  std::vector<std::int64_t> labels;
  bool operator==(const Trained&) const = default;
};

Trained train(const Model& model, const GraphSet& graphs, const TrainOptions& options, int steps) {
  Trainer trainer(model, graphs, options);
  Trained trained;
  for (int s = 0; s < steps; ++s) {
    const TrainStep step = trainer.step();
    trained.losses.push_back(step.loss);
    trained.labels.push_back(step.labels);
  }
  trained.checkpoint = trainer.checkpoint();
  return trained;
}

TrainOptions on(const std::shared_ptr<Job>& job, TrainOptions options) {
  options.job = job;
  return options;
}

void expect_same_on(const std::vector<int>& ranks, const Model& model, const GraphSet& graphs,
                    const TrainOptions& options, int steps = 6) {
  const Trained expected = train(model, graphs, options, steps);
  for (const int n : ranks)
    on_ranks(n, [&](const std::shared_ptr<Job>& job) {
      EXPECT_TRUE(train(model, graphs, on(job, options), steps) == expected) << "rank " << job->rank() << " of " << n;
    });
}

TEST(Ranks, HaveTheBitsOfOneRankForEveryModel) {
  std::vector<std::string> names = zoo_names();
  if (kSanitized) names.resize(1);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const GraphSet graphs = random_samples(find_model(name), kSamples, 50, 11, 8);
    expect_same_on({2, 3, 8}, small_model(name, 0.2), graphs, options_of(8, 1));
  }
}

TEST(Ranks, HaveTheBitsOfOneRankWithThreadsAndEveryOption) {
  const Model model = small_model("tree-lstm", 0.2);
  const GraphSet graphs = random_samples(find_model("tree-lstm"), kSamples, 50, 11, 8);
  TrainOptions options = options_of(5, 2);
  options.buckets = 2;
  expect_same_on({2, 5}, model, graphs, options);
  options.session.engine = EngineKind::kReference;
  options.optimizer.sparse_updates = true;
  expect_same_on({2}, model, graphs, options, 4);
  options = options_of(5, 1);
  options.session.precision = Precision::kBf16;
  options.optimizer.groups = {ParameterGroup::frozen("embedding")};
  expect_same_on({4}, model, graphs, options, 4);
}

/// These models have gradients of 256 KB, which are exchanged while others are computed.
TEST(Ranks, HaveTheBitsOfOneRankWhereGradientsAreExchangedEarly) {
  const ModelConfig sizes{.vocabulary = 50, .embedding = 16, .hidden = 148, .classes = 5, .seed = 3};
  std::vector<std::string> names{"tree-lstm"};
  if (!kSanitized) names.emplace_back("lstm-nmt");
  for (const std::string& name : names) {
    const GraphSet graphs = random_samples(find_model(name), kSamples, 50, 11, 8);
    for (const int threads : {1, 2})
      expect_same_on({2, fewer(3)}, find_model(name).make(sizes), graphs, options_of(5, threads), fewer(4));
  }
}

TEST(Ranks, ResumeFromACheckpointOfAnotherNumberOfRanks) {
  const Model model = small_model("tree-lstm", 0.2);
  const GraphSet graphs = random_samples(find_model("tree-lstm"), kSamples, 50, 11, 8);
  TrainOptions options = options_of(6, 1);
  const Trained expected = train(model, graphs, options, 5);
  Checkpoint half;
  std::mutex mutex;
  on_ranks(3, [&](const std::shared_ptr<Job>& job) {
    const Trained trained = train(model, graphs, on(job, options), 2);
    const std::lock_guard lock(mutex);
    half = trained.checkpoint;
  });
  on_ranks(2, [&](const std::shared_ptr<Job>& job) {
    Trainer trainer(model, graphs, on(job, options));
    trainer.restore(half);
    for (int s = 0; s < 3; ++s) trainer.step();
    EXPECT_TRUE(trainer.checkpoint() == expected.checkpoint);
  });
}

TEST(Ranks, HaveTheBitsOfOneRankOnSeveralHosts) {
  const Model model = small_model("tree-lstm", 0.2);
  const GraphSet graphs = random_samples(find_model("tree-lstm"), kSamples, 50, 11, 8);
  const TrainOptions options = options_of(8, 1);
  const Trained expected = train(model, graphs, options, 6);
  on_ranks(ranks_on_hosts(8, 4), [&](const std::shared_ptr<Job>& job) {
    EXPECT_TRUE(train(model, graphs, on(job, options), 6) == expected);
  });
}

/// The message of the exception that each rank throws in training.
template <typename F>
std::vector<std::string> messages_of(int ranks, F f) {
  std::vector<std::string> texts(ranks);
  on_ranks(ranks, [&](const std::shared_ptr<Job>& job) { texts[job->rank()] = message_of([&] { f(job); }); });
  return texts;
}

TEST(Ranks, NameTheDifferenceBeforeTheFirstStep) {
  const Model model = small_model("tree-lstm");
  const auto message = [&](auto change) {
    return messages_of(2, [&](const std::shared_ptr<Job>& job) {
      TrainOptions options = on(job, options_of(2, 1));
      std::uint64_t seed = 11;
      if (job->rank() == 1) change(options, seed);
      const GraphSet graphs = random_samples(find_model("tree-lstm"), 20, 50, seed, 8);
      Trainer trainer(model, graphs, options);
      trainer.step();
    });
  };
  const auto says = [](const char* text) { return Each(AllOf(HasSubstr("rank 1 (host "), HasSubstr(text))); };
  EXPECT_THAT(message([](TrainOptions& o, auto&) { o.clip_norm = 2; }), says("has clip_norm 2, but rank 0 has 1"));
  EXPECT_THAT(message([](TrainOptions& o, auto&) { o.optimizer.lr = 2; }), says("has optimizer {"));
  EXPECT_THAT(message([](auto&, std::uint64_t& seed) { seed = 12; }), says("has content of the data "));
  EXPECT_EQ(message([](TrainOptions& o, auto&) { o.session.threads = 2; }), std::vector<std::string>(2));
}

TEST(Ranks, EndTogetherIfALossIsNotFinite) {
  const Model model = small_model("tree-lstm");
  const GraphSet graphs = random_samples(find_model("tree-lstm"), 20, 50, 11, 8);
  const auto texts = messages_of(2, [&](const std::shared_ptr<Job>& job) {
    Trainer trainer(model, graphs, on(job, options_of(2, 1)));
    trainer.step();
    const int p = trainer.parameters().find("embedding");
    if (job->rank() == 1) trainer.parameters().values(p)[0] = std::numeric_limits<float>::quiet_NaN();
    if (job->rank() == 1) trainer.parameters().touch(p);
    for (int s = 0; s < 9; ++s) trainer.step();
  });
  EXPECT_THAT(texts[0], AllOf(HasSubstr("rank 1 (host "), HasSubstr("training stopped in epoch ")));
  EXPECT_THAT(texts[1], HasSubstr("training stopped in epoch "));
}

TEST(Ranks, CannotExceedTheMinibatchesOfAStep) {
  const GraphSet graphs = random_samples(find_model("tree-lstm"), 20, 50, 11, 8);
  EXPECT_THAT(messages_of(4,
                          [&](const std::shared_ptr<Job>& job) {
                            Trainer(small_model("tree-lstm"), graphs, on(job, {.batch_size = 64}));
                          }),
              Each("a step has 1 minibatch, but 4 ranks share the minibatches of a step; set accumulate to 4 (256 "
                   "samples per step), or accumulate to 4 and batch_size to 16 (64, as now)"));
}

/// Sums random gradients of dense parameters and of tables. Some gradients touch no row.
TEST(RankSums, EqualThoseOfOneRankForAnySplit) {
  constexpr std::int64_t kLarge = kSanitized ? 2 : 256;  // 256 makes each a piece of its own
  const Parameters parameters({{"W", {41, 6}, false, {}},
                               {"E", {20, 3}, true, {}},
                               {"b", {5}, false, {}},
                               {"F", {3, 40}, true, {}},
                               {"V", {kLarge, 257}, false, {}},
                               {"U", {kLarge, 259}, false, {}}},
                              1);
  const std::vector<std::size_t> orders[] = {{}, {0, 2, 5, 4}, {4}, {5, 4, 0, 2}};
  const auto fill = [&](Gradients& gradients, std::uint64_t seed) {
    Numbers numbers(seed);
    clear(parameters, gradients);
    for (std::size_t p = 0; p < gradients.size(); ++p) {
      const ParameterInfo& info = parameters.info(static_cast<int>(p));
      const std::int64_t width = info.table ? info.shape.dims[1] : info.shape.size();
      const std::int64_t rows = info.table ? info.shape.dims[0] : 1;
      const int percent = info.table ? numbers.below(101) : 101;
      for (std::int64_t i = 0, row = rows - 1; i < rows; ++i, row = (row + 7) % rows) {
        if (numbers.below(100) >= percent) continue;
        if (info.table) gradients.table_rows[p].push_back(static_cast<std::int32_t>(row));
        for (float& x : gradients.values(p).subspan(row * width, width))
          x = static_cast<float>(numbers.below(1 << 20)) * 1e-3F - 500;
      }
    }
  };
  EXPECT_TRUE(rc::check([&] {
    const auto minibatches = *rc::gen::inRange<std::int64_t>(1, 41);
    const int per_host = *rc::gen::inRange(1, 5);
    const int ranks = per_host * *rc::gen::inRange(per_host == 1 ? 2 : 1, 5);
    const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1 << 20);
    const std::vector<std::size_t>& early = orders[*rc::gen::inRange(0, 4)];
    Gradients expected(parameters);
    HostStepSum one(parameters, expected);
    one.begin(minibatches);
    for (std::int64_t m = 0; m < minibatches; ++m) fill(one.next(), seed + m), one.add();
    on_ranks(ranks_on_hosts(ranks, per_host), [&](const std::shared_ptr<Job>& job) {
      EXPECT_EQ(job->ranks_per_host(), per_host == ranks ? 1 : per_host);
      Gradients total(parameters);
      HostStepSum own(parameters, total);
      RankSum sum(*job, {}, early, total, own);
      sum.begin(minibatches);
      for (const RankSum::Range& subtree : sum.subtrees()) {
        own.begin(subtree.size());
        for (std::int64_t m = subtree.begin; m < subtree.end; ++m) {
          sum.add_loss(static_cast<double>(m) / 3, m);
          if (m == sum.last()) break;
          fill(own.next(), seed + m);
          own.add();
        }
        if (subtree.end - 1 != sum.last()) sum.add_subtree();
      }
      double loss = 0;
      for (std::int64_t m = 0; m < minibatches; ++m) loss += static_cast<double>(m) / 3;
      const RankSum::Losses losses = sum.meet("the step", [&](GradientProgress& progress) {
        if (sum.last() < 0) return;
        Gradients last(parameters);
        fill(last, seed + sum.last());
        own.next().table_rows = last.table_rows;
        for (std::size_t p = 0; p < last.size(); ++p) progress.expect(p, 2);
        for (std::size_t p = last.size(); p-- > 0;) {
          std::ranges::copy(last.values(p), own.next().values(p).begin());
          for (int writes = 0; writes < 2; ++writes) progress.count(p);
        }
      });
      EXPECT_EQ(losses.loss, loss);
      EXPECT_EQ(losses.labels, minibatches * (minibatches - 1) / 2);
      sum.finish();
      expect_same_bits(total.flat(), expected.flat(), "sum");
      EXPECT_EQ(total.table_rows, expected.table_rows);
    });
  }));
}

/// A rank that fails in its last backward pass, while the others exchange the first gradients.
TEST(RankSums, TellAllRanksThatALastPassHasFailed) {
  const Parameters parameters({{"V", {256, 257}, false, {}}, {"E", {20, 3}, true, {}}}, 1);
  for (const std::vector<std::size_t>& early : {std::vector<std::size_t>{}, {0}}) {
    const auto texts = messages_of(3, [&](const std::shared_ptr<Job>& job) {
      Gradients total(parameters);
      HostStepSum own(parameters, total);
      RankSum sum(*job, {}, early, total, own);
      sum.begin(3);
      own.begin(1);
      sum.add_loss(1, 1);
      sum.meet("the step", [&](GradientProgress&) {
        if (job->rank() == 1) user_error("this pass has failed");
      });
      sum.finish();
    });
    EXPECT_EQ(texts[1], "this pass has failed");
    EXPECT_THAT(texts[0], AllOf(HasSubstr("rank 1 (host "), HasSubstr("this pass has failed")));
    EXPECT_EQ(texts[2], texts[0]);
  }
}

}  // namespace
}  // namespace cavs
