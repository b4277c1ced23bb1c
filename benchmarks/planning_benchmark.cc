// Nanoseconds a vertex of packing, scheduling and planning a minibatch for training.
#include <benchmark/benchmark.h>

#include "cavs/data.h"
#include "cavs/models.h"
#include "plan/plan.h"

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

}  // namespace
}  // namespace cavs
