// Law 8: the steady state allocates nothing, and memory is bounded by the largest minibatch.

#include "helpers/allocations.h"

#include <gtest/gtest.h>

#include "cavs/optimizer.h"
#include "execute/run_state.h"
#include "execute/session_impl.h"
#include "execute/team.h"
#include "helpers/evaluate.h"
#include "helpers/typed_graphs.h"
#include "helpers/zoo_test.h"
#include "schedule/resolve_policy.h"

namespace cavs {
namespace {

class AllocationsOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, AllocationsOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

TEST_P(AllocationsOfModel, ASteadyTrainingLoopAllocatesNothing) {
  const auto settings = {SessionOptions{.threads = 1}, SessionOptions{.threads = 2},
                         SessionOptions{.threads = 2, .streaming = Streaming::kOn}};
  const ZooCase zoo = make(64, 0.2);
  for (const SessionOptions& setting : settings) {
    const Bench bench(zoo.model, zoo.graphs);
    const auto all = all_samples(zoo.graphs);
    Session session(bench.program, bench.parameters, setting);
    Gradients gradients(*bench.parameters);
    OptimizerOptions options = optimizer_defaults("sgd");
    Optimizer optimizer(options, *bench.parameters);
    const auto samples = [&](int step) { return std::span(all).subspan(step % 4 * 16, 16); };
    std::int64_t during = 0;
    for (int step = 0; step < 12; ++step) {
      const std::int64_t before = allocations.load();
      {
        cavs::Run run = session.forward(*bench.bound, samples(step), 1);
        session.prefetch(*bench.bound, samples(step + 1), 1);
        run.backward(gradients);
        optimizer.step(*bench.parameters, gradients);
      }
      if (step >= 8) during += allocations.load() - before;  // both states have seen every minibatch
    }
    EXPECT_EQ(during, 0) << zoo.name << ", " << setting.threads << " threads, streaming "
                         << to_string(setting.streaming);
  }
}

TEST(Allocations, SchedulingAllocatesNothingWithAnyPolicy) {
  const GraphSet lattices = random_lattices(40, 1);
  const Packed packed_lattices(compile(typed_model(lattices.schema().types)), lattices);
  for (StateEncoding encoding : {StateEncoding::kMax, StateEncoding::kPhase}) {
    const LearnedPolicy learned =
        learn_policy("lattices", *packed_lattices.bound, {.encoding = encoding, .samples = 8, .trials = 40});
    for (const PolicyDef& def : all_policies()) {
      const auto policy = resolve_policy(std::string(def.name), &learned, *packed_lattices.program);
      Scheduler scheduler;
      Schedule schedule;
      make_schedule(packed_lattices.minibatch, *policy, scheduler, schedule);
      const std::int64_t before = allocations.load();
      make_schedule(packed_lattices.minibatch, *policy, scheduler, schedule);
      EXPECT_EQ(allocations.load() - before, 0) << def.name;
    }
  }
}

TEST(Allocations, MemoryDoesNotGrowAfterTheLargestMinibatch) {
  const GraphSet graphs = random_trees(200, 50, 21);
  const Bench bench(small_model("tree-lstm"), graphs);
  const auto program = bench.program;
  Team team(1);
  Preparation preparation(*program, make_policy("frontier"));
  cavs::Run::State state;
  const auto bytes = [&](std::span<const std::int32_t> samples) {
    preparation.start(state, *bench.bound, samples, 0);
    preparation.finish();
    return std::pair{state.batch.plan.rows.capacity(), state.batch.plan.arena};
  };
  const auto all = all_samples(graphs);
  const auto [rows, arena] = bytes(all);
  Numbers numbers(1);
  std::vector<std::int32_t> samples;
  for (int i = 0; i < 200; ++i) {
    samples.clear();
    for (std::int32_t s : all)
      if (numbers.below(3) == 0) samples.push_back(s);
    const auto [later_rows, later_arena] = bytes(samples);
    EXPECT_EQ(later_rows, rows);
    EXPECT_LE(later_arena, arena);
  }
}

TEST(Allocations, ARunOfFewerSamplesNeedsNoMoreMemory) {
  const GraphSet graphs = random_trees(40, 50, 22);
  const Bench bench(small_model("tree-lstm-binary"), graphs);
  Session session(bench.program, bench.parameters);
  const auto all = all_samples(graphs);
  std::int64_t before = 0;
  for (std::size_t n : {1, 5, 20, 40}) {
    const std::int64_t bytes = session.memory(*bench.bound, std::span(all).first(n));
    EXPECT_GT(bytes, before);
    before = bytes;
  }
}

}  // namespace
}  // namespace cavs
