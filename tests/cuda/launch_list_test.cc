// Tests the list of launches that a GPU's engine batched makes for a minibatch.

#include "backend/cuda/batched/launch_list.h"

#include <gmock/gmock.h>

#include <cmath>

#include "helpers/evaluate.h"
#include "helpers/finite_differences.h"
#include "helpers/models.h"
#include "plan/planner.h"
#include "schedule/schedule.h"
#include "script/write_script.h"

namespace cavs::cuda {
namespace {

struct Listed {
  std::shared_ptr<const Program> program;
  Script script;
  std::int64_t tasks = 0;  // tasks of F that have launches
  BatchedKernels kernels;
  LaunchList single, graphs;  // without and with graphs
  std::vector<LaunchLister::Level> levels;
};

/// @param costs  by default, one size of tiles for all numbers of rows
Listed list_launches(const std::string& model, const std::string& policy,
                     const KernelOptions& options = {.weight_registers = 0},
                     const TileCosts& costs = {.clocks = {1, 1e6, 1e6}}) {
  const ZooCase zoo = zoo_case(model, 20);
  Listed l;
  l.program = compile(zoo.model, {.pushes = std::vector<std::string>()}, batched_target());
  const auto bound = bind_graphs(l.program, zoo.graphs);
  const Minibatch minibatch = packed(*bound, all_samples(zoo.graphs));
  Scheduler scheduler;
  Schedule schedule;
  Plan plan;
  make_schedule(minibatch, *make_policy(policy), scheduler, schedule);
  Planner(*l.program).make(minibatch, schedule, plan);
  for (const Step& step : plan.steps)
    l.tasks += step.stage == Stage::kTask && !step.backward &&
               !l.program->types[step.type].at(step.backward, step.stage).empty();
  const WeightPlacement placement = place_weights(*l.program, gpu_target("a GPU", 1, 1, 0));
  ScriptWriter(*l.program, placement, LaunchedChunks{})
      .make(plan, StepShares(plan.steps.size(), {.worker = 0}), l.script);
  const KernelTables tables = kernel_tables(*l.program, placement, options);
  l.kernels = batched_kernels(*l.program, tables, options);
  LaunchLister(*l.program, tables, l.kernels, costs, false).list(plan, l.script, l.single);
  LaunchLister lister(*l.program, tables, l.kernels, costs, true);
  lister.list(plan, l.script, l.graphs);
  l.levels = lister.levels();
  return l;
}

using Launches = std::vector<std::tuple<int, int, int>>;  // kernel, entry, tile

/// The launches of a list that have rows. Each kernel of a graph gets the entry that the GPU finds for the kernel.
Launches launches_of(const Listed& l, std::span<const LaunchItem> items, const Stretch* next) {
  Launches launches;
  const auto add = [&](int kernel, int entry, int tile) {
    if (l.script.entries[entry].rows.begin < l.script.entries[entry].rows.end)
      launches.emplace_back(kernel, entry, tile);
  };
  for (const LaunchItem& item : items) {
    if (item.levels == 0) {
      add(item.kernel, item.entry, item.tile);
      continue;
    }
    const Stretch stretch = *next++;
    int entry = stretch.begin;
    for (int level = 0; level < item.levels; ++level)
      for (const int kernel : l.levels[item.kernel]) {
        if (kernel != BatchedKernels::kNone && entry < stretch.end) add(kernel, entry, 0);
        ++entry;
      }
    EXPECT_GE(entry, stretch.end) << "the graph has a kernel for each entry";
    const double longest = std::ceil(1.25 * (stretch.end - stretch.begin)) + std::ssize(l.levels[item.kernel]);
    EXPECT_LE(entry, stretch.begin + longest) << "at most a few more kernels";
  }
  return launches;
}

class LaunchListOf : public testing::TestWithParam<std::tuple<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Models, LaunchListOf,
                         testing::Combine(testing::Values("tree-lstm", "tree-lstm-2type", "lattice-lstm", "bilstm",
                                                          "var-lstm"),
                                          testing::Values("frontier", "ratio")));

TEST_P(LaunchListOf, HasTheSameLaunchesInGraphs) {
  const auto& [model, policy] = GetParam();
  const Listed l = list_launches(model, policy);
  const auto forward = [](const LaunchList& list) { return std::span(list.items).first(list.backward); };
  const auto backward = [](const LaunchList& list) { return std::span(list.items).subspan(list.backward); };
  const Stretch* const first = l.graphs.stretches.data();
  EXPECT_EQ(launches_of(l, forward(l.graphs), first), launches_of(l, forward(l.single), nullptr));
  EXPECT_EQ(launches_of(l, backward(l.graphs), first + l.graphs.backward_stretch),
            launches_of(l, backward(l.single), nullptr));
}

/// In lattices, the tasks of a level alternate between three types.
TEST(LaunchList, PutsTasksOfSeveralTypesInOneGraph) {
  const Listed l = list_launches("lattice-lstm", "frontier");
  EXPECT_GT(l.tasks, 20);
  EXPECT_LT(l.graphs.backward_stretch, l.tasks / 4);
}

/// Costs prefer large tiles, for which a block lacks memory. Their costs would be measured with another kernel.
TEST(LaunchList, ChoosesNoSizeOfTilesWithoutItsOwnKernel) {
  for (const int bytes : {99 << 10, 40 << 10}) {
    const Listed l = list_launches("tree-lstm", "frontier", {.weight_registers = 0, .most_shared_bytes = bytes},
                                   {.clocks = {1e6, 1e3, 1}});
    int products = 0, large = 0;
    for (const LaunchItem& item : l.single.items) {
      if (item.use.size < 0) continue;
      ++products;
      large += item.use.size == kLargeTile;
      EXPECT_EQ(l.kernels.kernels[item.kernel].tile_rows, tile_rows(item.use.size, false));
    }
    EXPECT_GT(products, 0);
    EXPECT_EQ(large > 0, bytes == 99 << 10);
  }
}

/// Times computed from costs, with depths on a line, and with only one depth.
TEST(TileFit, FindsCostsInNanoseconds) {
  const TileCosts predicted, real{.clocks = {10, 20, 40}, .start = {500, 700, 900}};
  TileFit line, point;
  for (const double depth : {128.0, 256.0, 1024.0})
    for (const int size : {kSmallTile, kMediumTile}) {
      const TileUse use{size, 3, depth};
      line.add(use, real.of(use) / 1e6);
    }
  const TileCosts found = line.costs(predicted);
  for (const int size : {kSmallTile, kMediumTile}) {
    EXPECT_NEAR(found.clocks[size], real.clocks[size], 1e-6);
    EXPECT_NEAR(found.start[size], real.start[size], 1e-4);
  }
  const double scale = found.clocks[kLargeTile] / predicted.clocks[kLargeTile];
  EXPECT_GT(scale, real.of_tile(kMediumTile, 1024) / predicted.of_tile(kMediumTile, 1024));
  EXPECT_LT(scale, real.of_tile(kSmallTile, 1024) / predicted.of_tile(kSmallTile, 1024));
  EXPECT_NEAR(found.start[kLargeTile] / predicted.start[kLargeTile], scale, 1e-9);

  point.add({kMediumTile, 1, 100}, 2 * predicted.of_tile(kMediumTile, 100) / 1e6);
  point.add({-1, 0, 0}, 5);
  for (int size = 0; size < kTileSizes; ++size) {
    EXPECT_NEAR(point.costs(predicted).clocks[size], 2 * predicted.clocks[size], 1e-9);
    EXPECT_NEAR(point.costs(predicted).start[size], 2 * predicted.start[size], 1e-9);
  }
  EXPECT_EQ(TileFit().costs(predicted).clocks, predicted.clocks);
}

}  // namespace
}  // namespace cavs::cuda
