// Streaming in a GPU's engine batched: parameter gradients are summed on a branch beside the tasks of ∂F.

#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "backend/cuda/device.h"
#include "backend/cuda/entries/kernel_tables.h"
#include "cavs/error.h"
#include "cavs/models.h"
#include "cuda/engine_case.h"
#include "helpers/evaluate.h"
#include "helpers/finite_differences.h"
#include "helpers/models.h"
#include "helpers/zoo_test.h"
#include "plan/planner.h"
#include "schedule/schedule.h"
#include "script/pairs.h"
#include "script/validate_script.h"
#include "script/write_script.h"

namespace cavs::cuda {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// A model compiled for the engine, with a minibatch of all samples.
struct Launched {
  std::shared_ptr<const Program> program;
  std::shared_ptr<const BoundGraphs> bound;
  Plan plan;
  WeightPlacement placement;

  /// @param grain  number of rows in a block of a sum over rows
  Launched(const Model& model, const GraphSet& graphs, std::int32_t grain, const CompileOptions& options = {}) {
    Target target = batched_target();
    target.sum_rows = grain;
    program = compile(model, options, target);
    bound = bind_graphs(program, graphs);
    const Minibatch minibatch = packed(*bound, all_samples(graphs));
    Scheduler scheduler;
    Schedule schedule;
    make_schedule(minibatch, *make_policy("frontier"), scheduler, schedule);
    Planner(*program).make(minibatch, schedule, plan);
    placement = place_weights(*program, gpu_target("a GPU", 1, 1, 0));
  }

  Script script(const LaunchedChunks& sums) const {
    Script script;
    ScriptWriter(*program, placement, sums).make(plan, StepShares(plan.steps.size(), {.worker = 0}), script);
    return script;
  }
  std::vector<std::string> faults(const Script& script) const { return find_faults(*program, placement, plan, script); }
};

/// Checks a script with small chunks: the validator must report exactly those missing waits of or for the branch that
/// cause races.
void expect_valid(const Launched& launched) {
  const Script script = launched.script({.chunk_flops = 1, .streaming = Streaming::kOn});
  ASSERT_EQ(script.processors, 2);
  EXPECT_THAT(launched.faults(script), IsEmpty());
  const Pairs pairs(launched.plan, script);
  for (std::int32_t k = 0; k < std::ssize(script.waits); ++k) {
    const Script mutant = without_wait(script, k);
    EXPECT_EQ(!launched.faults(mutant).empty(), pairs.has_race(mutant)) << "wait " << k;
  }
}

class StreamingOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, StreamingOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

TEST_P(StreamingOfModel, HasAValidScript) {
  const ZooCase zoo = make(3);
  expect_valid(Launched(zoo.model, zoo.graphs, 4));
}

/// A gradient is summed in the order of a script without a branch, and so has the same bits (law 4).
TEST_P(StreamingOfModel, HasTheEntriesOfAScriptWithoutABranch) {
  const ZooCase zoo = make(3);
  const Launched launched(zoo.model, zoo.graphs, 4);
  const Script beside = launched.script({.chunk_flops = 1, .streaming = Streaming::kOn}),
               alone = launched.script({.chunk_flops = 1, .streaming = Streaming::kOff});
  EXPECT_EQ(alone.processors, 1);
  EXPECT_THAT(launched.faults(alone), IsEmpty());
  ASSERT_EQ(beside.entries.size(), alone.entries.size());
  for (std::size_t k = 0; k < alone.entries.size(); ++k) {
    const ScriptEntry &a = alone.entries[k], &b = beside.entries[k];
    EXPECT_EQ(std::tie(a.step, a.instruction, a.rows, a.adds), std::tie(b.step, b.instruction, b.rows, b.adds)) << k;
  }
}

Model words_model() {
  return find_model("var-lstm").make({.vocabulary = 50, .embedding = 4, .hidden = 4, .classes = 300});
}
GraphSet sentences() { return random_samples(find_model("var-lstm"), 12, 50, 11); }

/// Tiles have 16 rows.
TEST(Streaming, RunsASoftmaxOverWordsBesideF) {
  const Launched launched(words_model(), sentences(), 4, {.pushes = std::vector<std::string>()});
  expect_valid(launched);
  const Script script = launched.script({.chunk_flops = 1, .streaming = Streaming::kOn});
  std::vector<RowRange> tiles;
  for (const ScriptEntry& e : std::span(script.entries).first(static_cast<std::size_t>(script.backward)))
    if (e.processor == 1) tiles.push_back(e.rows);
  ASSERT_GT(tiles.size(), 2U);
  EXPECT_LE(tiles.size(), 9U);
  for (std::size_t k = 1; k < tiles.size(); ++k) {
    EXPECT_EQ(tiles[k].begin, tiles[k - 1].end);
    EXPECT_EQ(tiles[k].begin % 16, 0);
  }
}

/// Trees with more vertices than two blocks of a sum.
Launched launched_trees(const CompileOptions& options = {}) {
  const ZooCase zoo = zoo_case("tree-lstm", 100);
  return Launched(zoo.model, zoo.graphs, 256, options);
}

TEST(Streaming, SplitsGradientsAtBlocksOfASum) {
  const Launched launched = launched_trees();
  const Script script = launched.script({.chunk_flops = 1, .streaming = Streaming::kOn});
  std::map<std::pair<int, int>, std::vector<RowRange>> rows;  // by step and instruction
  std::set<int> cuts;                                         // steps that chunks follow
  int after = -1;
  for (const ScriptEntry& e : script.entries) {
    if (!e.is_of_step()) continue;
    if (e.processor == 0) after = e.step;
    if (e.step > after + 1 || !rows[{e.step, e.instruction}].empty()) cuts.insert(after);
    rows[{e.step, e.instruction}].push_back(e.rows);
  }
  EXPECT_LE(cuts.size(), 9U);
  std::size_t most = 0;
  for (const auto& [number, parts] : rows) {
    most = std::max(most, parts.size());
    for (std::size_t k = 1; k < parts.size(); ++k) {
      EXPECT_EQ(parts[k].end, parts[k - 1].begin) << "the last rows come first";
      EXPECT_EQ(parts[k].end % 256, 0);
    }
  }
  EXPECT_GT(most, 2U);
}

TEST(Streaming, NeedsEnoughWork) {
  const Launched launched = launched_trees();
  const Script small = launched.script({}), large = launched.script({.chunk_flops = 1});
  EXPECT_EQ(small.processors, 1);
  EXPECT_EQ(large.processors, 2);
  EXPECT_LT(small.entries.size(), large.entries.size());
}

/// With `lazy` switched off, tasks add to the same gradients.
TEST(Streaming, HasNoBranchIfTasksSumGradients) {
  const Launched launched = launched_trees({.disabled_passes = {"lazy"}});
  EXPECT_EQ(launched.script({.chunk_flops = 1, .streaming = Streaming::kOn}).processors, 1);
}

/// The stand-in reports a race if two streams access the same numbers, one of them writes, and no event orders them.
TEST_F(CudaBatched, StandInReportsRacesOfStreams) {
  if (!is_standin()) GTEST_SKIP() << "a GPU's driver reports none";
  const DeviceRef device = Device::open(open_driver());
  constexpr std::int64_t kBytes = 64;
  DeviceMemory memory(device), other(device);
  memory.reserve(2 * kBytes);
  other.reserve(kBytes);
  const Stream first(device), second(device, Priority::kLow);
  const Event event(device);
  const auto faults_with = [&](bool in_order, const std::function<void()>& before, const std::function<void()>& after) {
    before();
    if (in_order) {
      first.record(event);
      second.wait_for(event);
    }
    after();
    first.synchronise();
    second.synchronise();
    return faults();
  };
  const auto clear = [&] { first.clear(memory.at(), kBytes); };
  const auto read = [&] { first.copy(other.at(), memory.at(), kBytes); };
  const auto read_after = [&] { second.copy(other.at(), memory.at(), kBytes); };
  const auto clear_after = [&] { second.clear(memory.at(), kBytes); };
  EXPECT_EQ(faults_with(true, clear, read_after), "");
  EXPECT_EQ(faults_with(true, read, clear_after), "");
  EXPECT_THAT(faults_with(false, clear, read_after), HasSubstr("a copy reads what another stream may use"));
  EXPECT_THAT(faults_with(false, read, clear_after), HasSubstr("a fill writes what another stream may use"));
  EXPECT_THAT(faults_with(false, clear, clear_after), HasSubstr("a fill writes what another stream may use"));
  EXPECT_EQ(faults_with(false, clear, [&] { second.clear(memory.at(kBytes), kBytes); }), "") << "other numbers";
}

/// Sessions with chunks of minimal size.
class CudaStreaming : public CudaBatched {
 protected:
  Variable flops_{"CAVS_CUDA_CHUNK_FLOPS", "1"};

  static SessionOptions session(Streaming streaming) {
    SessionOptions options = gpu_session;
    options.streaming = streaming;
    options.check_scripts = true;
    return options;
  }
};

class CudaStreamingOf : public CudaStreaming, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Models, CudaStreamingOf,
                         testing::Values("tree-lstm", "tree-lstm-2type", "lattice-lstm", "bilstm", "var-lstm"),
                         [](const auto& model) { return name_of(model.param); });

TEST_P(CudaStreamingOf, HasTheNumbersOfTheReferenceAndTheSameBitsWithoutIt) {
  const ZooCase zoo = zoo_case(GetParam(), 12);
  std::vector<std::int32_t> samples(60);  // makes several blocks of a sum
  for (std::size_t k = 0; k < samples.size(); ++k) samples[k] = static_cast<std::int32_t>(k % 12);
  const Bench bench(zoo.model, zoo.graphs);
  const long long before = event_waits();
  const Result found = bench.run(samples, session(Streaming::kOn));
  const long long with_branch = event_waits() - before;
  expect_same_numbers(found, bench.run(samples, {.engine = EngineKind::kReference}), *bench.parameters, zoo.name);
  expect_same_result_bits(bench.run(samples, session(Streaming::kOff)), found, "no branch");
  if (is_standin()) {
    EXPECT_GT(with_branch, 2 * (event_waits() - before - with_branch));
  }
  for (const char* const form : {"plain", "graphs"}) {
    const Variable launches("CAVS_CUDA_LAUNCHES", form);
    expect_same_result_bits(bench.run(samples, session(Streaming::kOn)), found, form);
  }
}

/// Two tiles of a softmax over words. The first runs beside F, and weight gradients of the second run beside ∂F.
TEST_F(CudaStreaming, RunsASoftmaxOverWords) {
  std::vector<std::int32_t> samples(200);
  for (std::size_t k = 0; k < samples.size(); ++k) samples[k] = static_cast<std::int32_t>(k % 12);
  const GraphSet graphs = sentences();
  const Bench bench(words_model(), graphs, {.pushes = std::vector<std::string>()});
  const Result found = bench.run(samples, session(Streaming::kOn));
  expect_same_numbers(found, bench.run(samples, {.engine = EngineKind::kReference}), *bench.parameters, "softmax");
  expect_same_result_bits(bench.run(samples, session(Streaming::kOff)), found, "no branch");
}

/// A step in which one wait for an event is lost. Some groups of the branch need no wait beyond earlier ones.
TEST_F(CudaStreaming, ReportsEveryMissingEvent) {
  if (!is_standin()) GTEST_SKIP() << "only the stand-in loses waits";
  const ZooCase zoo = zoo_case("tree-lstm", 40);
  TrainOptions options = options_of("sgd", session(Streaming::kOn));
  options.batch_size = 40;
  const auto step = [&](std::vector<float>& values) {
    Trainer trainer(zoo.model, zoo.graphs, options);
    const long long before = event_waits();
    trainer.step();
    const std::span<const float> all = trainer.parameters().values(0);
    values.assign(all.begin(), all.end());
    return event_waits() - before;
  };
  std::vector<float> expected, found;
  const long long of_step = step(expected);
  ASSERT_EQ(faults(), "");
  long long reported = 0;
  for (long long lost = 2; lost <= of_step; ++lost) {  // the first wait is for the minibatch's words
    const Variable losing("CAVS_STANDIN", "lose_wait=" + std::to_string(event_waits() + lost));
    try {
      step(found);
    } catch (const UserError&) {  // the gradients are NaN
    }
    const bool is_reported = !faults().empty();
    EXPECT_TRUE(is_reported || (lost < of_step && found == expected)) << "wait " << lost << " of " << of_step;
    reported += is_reported ? 1 : 0;
  }
  EXPECT_GE(reported, 4);
}

TEST_F(CudaStreaming, ReportsABadSizeOfChunks) {
  const ZooCase zoo = zoo_case("tree-lstm", 2);
  const Bench bench(zoo.model, zoo.graphs);
  for (const char* const text : {"many", "1x", "-1", "0"}) {
    const Variable flops("CAVS_CUDA_CHUNK_FLOPS", text);
    EXPECT_THAT([&] { bench.run(all_samples(zoo.graphs), gpu_session); },
                testing::ThrowsMessage<UserError>(
                    HasSubstr(std::string("CAVS_CUDA_CHUNK_FLOPS is '") + text + "'; expected a positive number")));
  }
}

}  // namespace
}  // namespace cavs::cuda
