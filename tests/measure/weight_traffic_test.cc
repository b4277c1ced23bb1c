// Table I of VPPS: bytes of weights that each engine loads.

#include "measure/weight_traffic.h"

#include <gmock/gmock.h>

#include "backend/cpu/isa.h"
#include "backend/cpu/kernels.h"
#include "cavs/data.h"
#include "cavs/models.h"
#include "measure/products_of_epoch.h"
#include "measure/stepper.h"
#include "placement/placement.h"

namespace cavs {
namespace {

/// Complete trees, so every minibatch has inner vertices and thus tasks. All widths are multiples of a slice.
struct TrafficWork {
  static constexpr int kSamples = 8;
  Dataset data = load_data("binary-trees:leaves=8,samples=8");
  Model model = find_model("tree-lstm-binary")
                    .make({.vocabulary = data.rows("word"), .embedding = 16, .hidden = 64, .classes = 16});
  BenchmarkOptions options;

  WeightTraffic at(int batch_size, int threads) {
    options.train.session.threads = threads;
    return measure_weight_traffic(model, data.train, options, batch_size);
  }
};

/// Bytes of all weights of tasks with their transposed copies, or 0 if the cores of this machine cannot hold them all.
std::int64_t kept_bytes(const Model& model, int threads) {
  const auto program = compile(model, {.pushes = std::vector<std::string>()});  // as in training
  const WeightPlacement placement = place_weights(*program, cpu_target(threads, cpu::second_cache_bytes()));
  std::int64_t bytes = 0;
  for (const PlacedWeight& placed : placement.weights) bytes += placed.units() * placed.unit_bytes;
  return fits(placement) ? bytes : 0;
}

TEST(WeightTraffic, PersistentLoadsWeightsOncePerMinibatch) {
  TrafficWork work;
  for (const int threads : {1, 2}) {
    const std::int64_t kept = kept_bytes(work.model, threads);
    if (kept == 0) GTEST_SKIP() << "a core's level 2 cache is too small for 256 KiB of weights";
    for (const int batch : {1, 2, 4, 8}) {
      const WeightTraffic t = work.at(batch, threads);
      EXPECT_EQ(t.steps, TrafficWork::kSamples / batch);
      EXPECT_EQ(t.persistent.task_bytes, kept * t.steps) << threads << " threads, batch " << batch;
      EXPECT_EQ(t.persistent.bytes - t.persistent.task_bytes, t.batched.bytes - t.batched.task_bytes)
          << "both do the same outside of tasks";
    }
  }
}

TEST(WeightTraffic, BatchedLoadsAWeightForEveryBlockOfRows) {
  TrafficWork work;
  const auto program = compile(work.model, {.pushes = std::vector<std::string>()});
  for (const int batch : {1, 8}) {
    std::int64_t bytes = 0;
    for (const auto& minibatch : products_of_epoch(program, work.data.train, batch))
      for (const inspect::Product& p : minibatch)
        if (p.kind != inspect::Product::Kind::kWeightGradient)
          bytes += (p.rows + cpu::kRowBlock - 1) / cpu::kRowBlock * std::int64_t{4} * p.k * p.n;
    EXPECT_EQ(work.at(batch, 1).batched.bytes, bytes) << "batch " << batch;
  }
}

TEST(WeightTraffic, EachLevelIsALoadInBatchedAndNoneInPersistent) {
  TrafficWork work;
  if (kept_bytes(work.model, 1) == 0) GTEST_SKIP() << "a core's level 2 cache is too small for 256 KiB of weights";
  const WeightTraffic one = work.at(1, 1), all = work.at(8, 1);
  EXPECT_EQ(one.persistent.task_bytes, 8 * all.persistent.task_bytes);
  EXPECT_EQ(one.batched.task_bytes, 3 * one.persistent.task_bytes) << "three levels of inner vertices";
}

TEST(WeightTraffic, IsNotCountedWithoutAProfile) {
  const TrafficWork work;
  const auto stepper = make_stepper(work.model, work.data.train, true, work.options.train);
  EXPECT_EQ(stepper->step().statistics.loaded_weight_bytes, 0);
}

}  // namespace
}  // namespace cavs
