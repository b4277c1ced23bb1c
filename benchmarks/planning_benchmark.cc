// Nanoseconds per vertex of packing, scheduling and planning a minibatch for training, and of writing its script.
#include <benchmark/benchmark.h>

#include <array>
#include <vector>

#include "cavs/data.h"
#include "cavs/models.h"
#include "plan/planner.h"
#include "script/write_script.h"
#include "share/step_sharer.h"

namespace cavs {
namespace {

void plan_minibatch(benchmark::State& state, const char* model, const char* data) {
  const Dataset set = load_data(data, {});
  const auto program = compile(find_model(model).make({.vocabulary = set.rows("word"), .classes = set.rows("label")}),
                               {.pushes = std::vector<std::string>()});
  const BoundGraphs bound(*program, set.train);
  Minibatch minibatch;
  Scheduler scheduler;
  Schedule schedule;
  Planner planner(*program);
  Plan plan;
  std::int32_t sample = 0;
  std::int64_t vertices = 0;
  for (auto _ : state) {
    minibatch.clear(bound);
    for (int i = 0; i < 64; ++i) minibatch.add(sample++ % set.train.size());
    make_schedule(minibatch, *make_policy("frontier"), scheduler, schedule);
    planner.make(minibatch, schedule, plan);
    vertices += minibatch.vertices();
  }
  state.counters["a_vertex"] =
      benchmark::Counter(static_cast<double>(vertices), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(plan_minibatch, tree_lstm_binary, "tree-lstm-binary", "binary-trees:leaves=20");
BENCHMARK_CAPTURE(plan_minibatch, tree_lstm, "tree-lstm", "binary-trees:leaves=20");
BENCHMARK_CAPTURE(plan_minibatch, tree_fc, "tree-fc", "binary-trees");
BENCHMARK_CAPTURE(plan_minibatch, var_lstm, "var-lstm", "markov");
BENCHMARK_CAPTURE(plan_minibatch, fixed_lstm, "fixed-lstm", "markov:steps=64");

/// Writes only the script, for a number of processors, for minibatches that are planned already.
void write_script(benchmark::State& state, const char* model, const char* data) {
  const auto batch_size = static_cast<std::int32_t>(state.range(0));
  const auto processors = static_cast<std::int32_t>(state.range(1));
  const Dataset set = load_data(data, {});
  const auto program = compile(find_model(model).make({.vocabulary = set.rows("word"), .classes = set.rows("label")}),
                               {.pushes = std::vector<std::string>()});
  const BoundGraphs bound(*program, set.train);
  const WeightPlacement placement = place_weights(*program, cpu_target(processors, std::int64_t{1} << 20));
  Planner planner(*program);
  StepSharer sharer(*program, processors);
  Scheduler scheduler;
  constexpr int kPlans = 16;
  std::vector<Plan> plans(kPlans);
  std::vector<StepShares> shares(kPlans);
  std::int64_t vertices = 0;
  Minibatch minibatch;
  std::int32_t sample = 0;
  for (int k = 0; k < kPlans; ++k) {
    minibatch.clear(bound);
    for (int i = 0; i < batch_size; ++i) minibatch.add(sample++ % set.train.size());
    Schedule schedule;
    make_schedule(minibatch, *make_policy("frontier"), scheduler, schedule);
    planner.make(minibatch, schedule, plans[k]);
    sharer.share(minibatch, schedule, plans[k], shares[k]);
    vertices += minibatch.vertices();
  }
  ScriptWriter writer(*program, placement);
  Script script;
  for (auto _ : state)
    for (int k = 0; k < kPlans; ++k) writer.make(plans[k], shares[k], script);
  state.counters["a_minibatch"] =
      benchmark::Counter(kPlans, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["a_vertex"] = benchmark::Counter(
      static_cast<double>(vertices), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
constexpr std::array<std::int64_t, 2> kBatchSizes{1, 64}, kProcessors{1, 2};
void with_sizes(benchmark::internal::Benchmark* benchmark) {
  for (const std::int64_t batch_size : kBatchSizes)
    for (const std::int64_t processors : kProcessors) benchmark->Args({batch_size, processors});
}
BENCHMARK_CAPTURE(write_script, tree_lstm_binary, "tree-lstm-binary", "binary-trees:leaves=20")->Apply(with_sizes);
BENCHMARK_CAPTURE(write_script, tree_lstm, "tree-lstm", "binary-trees:leaves=20")->Apply(with_sizes);
BENCHMARK_CAPTURE(write_script, var_lstm, "var-lstm", "markov")->Apply(with_sizes);

}  // namespace
}  // namespace cavs
