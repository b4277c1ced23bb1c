#include "train/dealt_step.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cavs/trainer.h"
#include "helpers/models.h"
#include "train/batches.h"
#include "train/shuffle.h"

namespace cavs {
namespace {

using Samples = std::vector<std::int32_t>;
using Sizes = std::vector<std::int64_t>;

std::vector<Samples> dealt(const Samples& samples, std::int64_t minibatches, const Sizes& sizes) {
  DealtStep step;
  step.deal(samples, minibatches, sizes);
  std::vector<Samples> all;
  for (std::int64_t m = 0; m < std::min(minibatches, std::ssize(samples)); ++m)
    all.emplace_back(step.minibatch(m).begin(), step.minibatch(m).end());
  return all;
}

/// Deals one round, by definition. Rounds alternate between going up and going down.
void deal_round(std::span<const std::int32_t> by_size, bool up, std::vector<Samples>& minibatches) {
  const std::size_t count = std::min(by_size.size(), minibatches.size());
  for (std::size_t i = 0; i < count; ++i) minibatches[up ? i : minibatches.size() - 1 - i].push_back(by_size[i]);
  if (count < by_size.size()) deal_round(by_size.subspan(count), !up, minibatches);
}

std::vector<Samples> expected_deal(const Samples& samples, std::size_t minibatches, const Sizes& sizes) {
  Samples by_size = samples;
  std::ranges::stable_sort(by_size, std::greater(), [&](std::int32_t s) { return sizes[s]; });
  std::vector<Samples> all(std::min(minibatches, samples.size()));
  deal_round(by_size, true, all);
  for (Samples& minibatch : all)
    std::ranges::sort(minibatch, {}, [&](std::int32_t s) { return std::ranges::find(samples, s); });
  return all;
}

TEST(DealtStep, FollowsTheDefinition) {
  EXPECT_TRUE(rc::check([] {
    const auto sizes = *rc::gen::nonEmpty(rc::gen::container<Sizes>(rc::gen::inRange<std::int64_t>(1, 9)));
    Samples samples(sizes.size());
    shuffled_order(*rc::gen::arbitrary<std::uint64_t>(), 0, samples);
    for (std::size_t minibatches = 1; minibatches <= 40; ++minibatches)
      RC_ASSERT(dealt(samples, minibatches, sizes) == expected_deal(samples, minibatches, sizes));
  }));
}

TEST(DealtStep, GivesTheLargestSamplesToDifferentMinibatches) {
  const Sizes sizes{5, 9, 1, 9, 2, 7, 3};
  EXPECT_EQ(dealt({0, 1, 2, 3, 4, 5, 6}, 3, sizes), (std::vector<Samples>{{1, 2, 4}, {3, 6}, {0, 5}}));
  EXPECT_EQ(dealt({3, 1, 0}, 2, sizes), (std::vector<Samples>{{3}, {1, 0}})) << "equal sizes keep their order";
  EXPECT_EQ(dealt({6, 5, 4}, 1, {}), (std::vector<Samples>{{6, 5, 4}})) << "one minibatch keeps the order";
}

struct Minibatches {
  explicit Minibatches(TrainOptions o) : options(std::move(o)), batches(batches_of(compile(model), graphs, options)) {}

  std::vector<Samples> of_step(std::int64_t epoch, std::int64_t sample) const {
    const std::int64_t count = std::min(batches->samples() - sample, samples_per_step(options));
    std::vector<Samples> all;
    for (std::int64_t m = 0; m < std::min<std::int64_t>(count, options.accumulate); ++m) {
      const auto samples = batches->at(epoch, sample, m).samples;
      all.emplace_back(samples.begin(), samples.end());
    }
    return all;
  }

  Model model = small_model("tree-lstm");
  GraphSet graphs = random_samples(find_model("tree-lstm"), 22, 50, 11, 8);
  TrainOptions options;
  std::unique_ptr<Batches> batches;
  Sizes sizes = [this] {
    Sizes all;
    for (std::int32_t s = 0; s < graphs.size(); ++s)
      all.push_back(graphs.vertex_begin()[s + 1] - graphs.vertex_begin()[s]);
    return all;
  }();
};

TEST(Minibatches, AreDealtFromTheSamplesOfTheirStep) {
  const Minibatches work({.batch_size = 3, .accumulate = 4});
  Samples order(22);
  for (const std::int64_t epoch : {0, 1}) {
    shuffled_order(work.options.seed, epoch, order);
    for (const std::int64_t sample : {0, 12, 5, 20}) {  // a restored position need not be a multiple of the step
      const Samples of_step(order.begin() + sample, order.begin() + std::min<std::int64_t>(sample + 12, 22));
      EXPECT_EQ(work.of_step(epoch, sample), expected_deal(of_step, 4, work.sizes)) << epoch << ", " << sample;
    }
  }
}

TEST(Minibatches, StayValidUntilTheCallAfterTheNext) {
  const Minibatches work({.batch_size = 3, .accumulate = 2});
  const auto last = work.batches->at(0, 0, 1).samples;
  const Samples before(last.begin(), last.end());
  work.batches->at(0, 6, 0);
  EXPECT_EQ(Samples(last.begin(), last.end()), before);
}

TEST(Minibatches, OfOneBucketedStepHaveSimilarSizes) {
  const Minibatches work({.batch_size = 2, .buckets = 2, .accumulate = 3});
  Samples order(22);
  bucketed_order(work.options.seed, 0, {.minibatches = 2, .batch_size = 6}, work.sizes, order);
  for (const std::int64_t sample : {0, 6, 12, 18}) {
    const Samples of_step(order.begin() + sample, order.begin() + std::min<std::int64_t>(sample + 6, 22));
    EXPECT_EQ(work.of_step(0, sample), expected_deal(of_step, 3, work.sizes)) << sample;
  }
}

TEST(Minibatches, OfAStepHaveAboutTheSameWork) {
  const Minibatches work({.batch_size = 4, .accumulate = 4});
  std::int64_t least = 1'000'000, most = 0;
  for (const Samples& minibatch : work.of_step(0, 0)) {
    std::int64_t vertices = 0;
    for (const std::int32_t sample : minibatch) vertices += work.sizes[sample];
    least = std::min(least, vertices);
    most = std::max(most, vertices);
  }
  EXPECT_LE(static_cast<double>(most), 1.15 * static_cast<double>(least));
}

}  // namespace
}  // namespace cavs
