// Independent tasks run at the same time, each on one worker.

#include "share/step_sharer.h"

#include <gmock/gmock.h>

#include <set>

#include "helpers/models.h"
#include "helpers/planned.h"

namespace cavs {
namespace {

constexpr std::int32_t kWide = 48;  // makes tasks large enough to share

/// A minibatch of a model of the zoo, planned for this number of workers.
struct PlannedForWorkers : Planned {
  PlannedForWorkers(const std::string& name, int workers, const CompileOptions& options = {},
                    std::string_view policy = "frontier", std::int32_t samples = 48)
      : Planned(Bench(small_model(name, 0, kWide), random_samples(find_model(name), samples, 50, 11), options), policy,
                workers) {}

  bool is_task(std::size_t step, bool backward) const {
    return plan.steps[step].task >= 0 && plan.steps[step].backward == backward;
  }

  std::int32_t type(const std::string& name) const {
    for (std::size_t t = 0; t < bench.program->types.size(); ++t)
      if (bench.program->types[t].function.name == name) return static_cast<std::int32_t>(t);
    return -1;
  }

  /// The workers that run the tasks of a type.
  std::set<std::int32_t> workers_of(const std::string& name, bool backward) const {
    std::set<std::int32_t> workers;
    for (std::size_t s = 0; s < plan.steps.size(); ++s)
      if (is_task(s, backward) && plan.steps[s].type == type(name)) workers.insert(shares[s].worker);
    return workers;
  }

  int waits(bool backward) const {
    int count = 0;
    for (std::size_t s = 0; s < plan.steps.size(); ++s) count += is_task(s, backward) && shares[s].waits ? 1 : 0;
    return count;
  }
};

TEST(StepSharer, EachDirectionOfAChainRunsOnOneWorker) {
  const PlannedForWorkers p("bilstm", 2);
  for (const bool backward : {false, true}) {
    EXPECT_THAT(p.workers_of("forward", backward), testing::SizeIs(1));
    EXPECT_THAT(p.workers_of("backward", backward), testing::SizeIs(1));
    EXPECT_NE(p.workers_of("forward", backward), p.workers_of("backward", backward));
    EXPECT_THAT(p.workers_of("forward", backward), testing::Each(testing::Ge(0)));
    EXPECT_EQ(p.waits(backward), 1) << "one wait, where the tasks begin";
  }
}

TEST(StepSharer, EachDirectionRunsOnOneWorkerInAnyOrderOfTasks) {
  for (const char* policy : {"agenda", "ratio"}) {
    const PlannedForWorkers p("bilstm", 2, {}, policy);
    EXPECT_NE(p.workers_of("forward", false), p.workers_of("backward", false)) << policy;
    EXPECT_EQ(p.waits(false), 1) << policy;
  }
}

TEST(StepSharer, TasksOfOneTypeAreSharedByTheTeam) {
  const PlannedForWorkers p("tree-lstm", 2);
  for (const StepShare& share : p.shares) EXPECT_LE(share.worker, 0);
}

TEST(StepSharer, IsOffWithoutItsPassOrWithOneWorker) {
  for (const PlannedForWorkers& p :
       {PlannedForWorkers("bilstm", 2, {.disabled_passes = {"task_parallel"}}), PlannedForWorkers("bilstm", 1)})
    for (const StepShare& share : p.shares) {
      EXPECT_LE(share.worker, 0);
      EXPECT_FALSE(share.waits);
    }
}

TEST(StepSharer, WorkSmallerThanAWaitStaysOnOneWorker) {
  const GraphSet graphs = random_samples(find_model("bilstm"), 1, 50, 11, 4);
  const Planned p(Bench(small_model("bilstm"), graphs), "frontier", 2);
  for (std::size_t s = 0; s < p.shares.size(); ++s) {
    if (p.plan.steps[s].task < 0) continue;
    EXPECT_EQ(p.shares[s].worker, 0);
  }
}

/// Position of each task in the run: the number of team waits before it, and its worker.
std::vector<std::pair<int, std::int32_t>> run_order(const PlannedForWorkers& p, bool backward) {
  std::vector<std::pair<int, std::int32_t>> order(p.schedule.tasks.size(), {-1, -1});
  int waits = 0;
  for (std::size_t s = 0; s < p.shares.size(); ++s) {
    const StepShare& share = p.shares[s];
    if (s > 0 && (share.waits || !p.shares[s - 1].one_worker() || !share.one_worker())) ++waits;
    if (p.is_task(s, backward)) order[p.plan.steps[s].task] = {waits, share.worker};
  }
  return order;
}

/// The task of every vertex.
std::vector<std::int32_t> tasks_of(const PlannedForWorkers& p) {
  std::vector<std::int32_t> task_of(p.minibatch.vertices());
  for (std::size_t t = 0; t < p.schedule.tasks.size(); ++t) {
    const Task& task = p.schedule.tasks[t];
    for (std::int32_t r = task.begin; r < task.end; ++r)
      task_of[p.schedule.vertex[p.schedule.type_begin[task.type] + r]] = static_cast<std::int32_t>(t);
  }
  return task_of;
}

/// Number of tasks on other workers than worker 0. Fails if a task runs too early, or beside another of its type.
int check_order(const PlannedForWorkers& p, bool backward) {
  int beside = 0;
  const auto order = run_order(p, backward);
  std::map<std::pair<int, std::int32_t>, std::int32_t> worker_of;  // by number of waits and type
  for (std::size_t t = 0; t < order.size(); ++t) {
    const auto [waits, worker] = order[t];
    if (waits < 0) continue;
    beside += worker > 0 ? 1 : 0;
    const auto [first, inserted] = worker_of.try_emplace({waits, p.schedule.tasks[t].type}, worker);
    EXPECT_EQ(first->second, worker) << "tensors of a task use the memory of the task before";
  }
  const std::vector<std::int32_t> task_of = tasks_of(p);
  for (std::int32_t v = 0; v < p.minibatch.vertices(); ++v)
    for (std::int32_t k = p.minibatch.child_begin[v]; k < p.minibatch.child_begin[v + 1]; ++k) {
      const std::int32_t child = p.minibatch.children[k];
      if (child < 0) continue;
      const auto first = order[task_of[backward ? v : child]], then = order[task_of[backward ? child : v]];
      if (first.first < 0 || then.first < 0) continue;
      EXPECT_TRUE(first.first < then.first || (first == then && task_of[child] != task_of[v]));
    }
  return beside;
}

TEST(StepSharer, NothingIsReadBeforeItIsWritten) {
  int beside = 0;
  for (const char* name : {"bilstm", "bilstm-tagger", "bilstm-crf", "tree-lstm-2type", "lattice-lstm", "lstm-nmt"})
    for (const char* policy : {"frontier", "agenda", "serial"})
      for (const int workers : {2, 3}) {
        SCOPED_TRACE(std::string(name) + ", " + policy);
        const PlannedForWorkers p(name, workers, {}, policy, 16);
        beside += check_order(p, false) + check_order(p, true);
      }
  EXPECT_GT(beside, 100);
}

}  // namespace
}  // namespace cavs
