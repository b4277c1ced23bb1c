// The kernels for decoders on fibers: steps over kept states, copies of states, and the best words.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "cuda/batched_step.h"
#include "cuda/state_copies.h"
#include "cuda/word_search.h"
#include "helpers/compare.h"

namespace cavs::cuda {
namespace {

constexpr KernelOptions kOptions{.warps = kTileWarps};

/// A step whose children were evaluated earlier. Kernels read and write states in the pool, at the rows in the plan's
/// lists. Every access is checked.
class KeptStatesOnFibers : public testing::Test {
 protected:
  static constexpr int kWidth = 4;

  /// A vertex of type "new" over any number of type "kept". Its state is what it pulls.
  static Model make_model() {
    Model m({.seed = 5});
    const auto W = m.parameter("W", {kWidth, kWidth});
    m.vertex_function("new", [&](Vertex& v) {
      const Value x = tanh(v.gather(0, "h") * W + sum(v.children("h")));
      v.scatter("h", x);
      v.push("said", x * 2.0);
    });
    m.vertex_function("kept", [&](Vertex& v) { v.scatter("h", v.pull("state", kWidth)); });
    return m;
  }

  /// Vertices 0 to 2 are new and 3 to 6 are kept.
  static GraphSet make_graphs() {
    GraphSet graphs({.types = {"new", "kept"}, .index_ports = {}, .float_ports = {{"state", kWidth}}});
    std::vector<float> states;
    for (int k = 0; k < 7 * kWidth; ++k) states.push_back(static_cast<float>(k % 5) / 4 - 0.4F);
    graphs.add({.types = {0, 0, 0, 1, 1, 1, 1},
                .child_offsets = {0, 2, 3, 6, 6, 6, 6, 6},
                .children = {6, 3, -1, 4, 4, 6},
                .index_pulls = {},
                .float_pulls = {states},
                .float_present = {}});
    return graphs;
  }
};

TEST_F(KeptStatesOnFibers, AreReadAndWrittenInPlace) {
  const Model model = make_model();
  const GraphSet graphs = make_graphs();
  const auto parameters = model.make_parameters();
  const Program program = *compile(model, {.training = false}, batched_target());
  const BoundGraphs bound(program, graphs);
  Minibatch minibatch;
  minibatch.clear(bound, {.type = 1, .states = {1}});
  minibatch.add(0);
  Scheduler scheduler;
  Schedule schedule;
  make_schedule(minibatch, *make_policy("frontier"), scheduler, schedule);
  Plan plan;
  Planner(program).make(minibatch, schedule, plan);
  const WeightPlacement placement = place_weights(program, gpu_target("a GPU", 1, 1, 0), sizeof(float));
  Script script;
  ScriptWriter(program, placement, LaunchedChunks{}).make(plan, StepShares(plan.steps.size(), {.worker = 0}), script);
  check_script(program, placement, plan, script);
  std::vector<std::int32_t> words;
  ScriptPacker(program, placement, kOptions).pack(plan, script, {}, words);
  const KernelTables tables = kernel_tables(program, placement, kOptions);
  const BatchedKernels kernels = batched_kernels(program, tables, kOptions);
  LaunchList launches;
  LaunchLister(program, tables, kernels, {}, false).list(plan, script, launches);

  // New vertices have the first rows of the pool, because their type comes first.
  std::vector<float> pool(7 * kWidth, std::nanf("")), arena(static_cast<std::size_t>(plan.arena)),
      weight(parameters->values(0).begin(), parameters->values(0).end());
  for (int v = 3; v < 7; ++v)
    std::copy_n(graphs.float_pulls(0).begin() + v * kWidth, kWidth, pool.begin() + schedule.row[v] * kWidth);
  std::vector<const float*> pulls{nullptr, pool.data()};
  ASSERT_EQ(program.float_ports.size() + program.states.size(), pulls.size());
  Pass pass{};
  pass.arguments.arena = arena.data();
  pass.arguments.parameters = weight.data();
  pass.arguments.pulls = pulls.data();
  pass.arguments.words = words.data();
  const CompiledModule module(kernels.source);
  for (const LaunchItem& item : launches.items) {
    const std::string& name = kernels.kernels[static_cast<std::size_t>(item.kernel)].name;
    const auto kernel = module.find<void (*)(Launch)>(name.c_str());
    const std::vector<LaunchBuffer> memory{{"pass", &pass, sizeof pass},
                                           {"words", words.data(), words.size() * sizeof(words[0])},
                                           {"pulls", pulls.data(), pulls.size() * sizeof(pulls[0])},
                                           {"weight", weight.data(), weight.size() * sizeof(float)},
                                           {"arena", arena.data(), arena.size() * sizeof(float)},
                                           {"pool", pool.data(), pool.size() * sizeof(float)}};
    EXPECT_THAT(
        launch_on_fibers(3, kTileThreads, 1, memory,
                         [&] { kernel({.pass = &pass, .entry = item.entry, .tile = item.tile, .of_stretch = 0}); }),
        testing::IsEmpty())
        << name;
  }

  const auto on_cpu = compile(model, {.training = false});
  const auto bound_there = bind_graphs(on_cpu, graphs);
  Session session(on_cpu, parameters);
  const std::int32_t sample = 0;
  const cavs::Run run = session.forward(*bound_there, {&sample, 1});
  const std::vector<float> said = run.output("said"), states = run.state("h");
  const Operand& pushed = find_output(program.types[0].pushes, "said")->operand;
  for (int v = 0; v < 3; ++v) {
    const float* const row =
        arena.data() + plan.types[0].tensors[pushed.id] + std::int64_t{schedule.row[v]} * pushed.stride + pushed.column;
    expect_close({row, kWidth}, std::span(said).subspan(v * kWidth, kWidth), "said");
    expect_close(std::span(pool).subspan(schedule.row[v] * kWidth, kWidth),
                 std::span(states).subspan(v * kWidth, kWidth), "state");
  }
}

TEST_F(KeptStatesOnFibers, RowsAreCopiedAndCheckedForFiniteNumbers) {
  const BatchedStep step(StepCase(zoo_case("var-lstm", 1), {.training = false}));
  const CompiledModule module(step.source());
  const auto kernel = module.find<void (*)(Launch)>("cavs_keep_states");
  ASSERT_NE(kernel, nullptr);
  for (const int blocks : {1, 3, 5}) {
    StateCopiesCase states;
    EXPECT_THAT(launch_on_fibers(blocks, kTileThreads, static_cast<unsigned>(blocks), states.memory(),
                                 [&] { kernel(states.launch()); }),
                testing::IsEmpty());
    states.expect_copied();
  }
}

TEST(BestWordsOnFibers, AreTheWordsOfTheCpu) {
  const BatchedStep step(StepCase(zoo_case("var-lstm", 1), {.training = false}));
  const CompiledModule module(step.source());
  const auto kernel = module.find<void (*)(Launch)>("cavs_best_words");
  ASSERT_NE(kernel, nullptr);
  for (const auto& [width, count, blocks] : {std::tuple{3, 4, 1}, {64, 1, 3}, {700, 5, 2}, {700, 5, 20}}) {
    WordSearchCase search(width, count);
    EXPECT_THAT(launch_on_fibers(blocks, kTileThreads, static_cast<unsigned>(blocks), search.memory(),
                                 [&, run = kernel] { run(search.launch()); }),
                testing::IsEmpty());
    search.expect_best();
  }
}

TEST(KernelsOfDecoders, AreNotMadeForTraining) {
  const BatchedStep step(StepCase(zoo_case("var-lstm", 1)));
  for (const SharedKernel kernel : {kBestWords, kKeepStates}) EXPECT_EQ(step.kernels().kernels[kernel].name, "");
}

}  // namespace
}  // namespace cavs::cuda
