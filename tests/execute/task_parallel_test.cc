// Tasks that run at the same time, one worker each: no bit depends on which worker runs them.

#include <gtest/gtest.h>

#include "helpers/models.h"
#include "helpers/planned.h"
#include "helpers/sanitizer.h"

namespace cavs {
namespace {

/// Number of tasks that two workers would run at the same time.
std::int64_t tasks_beside(const Bench& bench) {
  const Planned planned(bench, "frontier", 2);
  return std::ranges::count_if(planned.shares, [](const StepShare& share) { return share.worker == 1; });
}

TEST(TaskParallel, ChangesNoBit) {
  for (const char* name : {"bilstm", "bilstm-tagger", "bilstm-crf", "lattice-gru"}) {
    const GraphSet graphs = random_samples(find_model(name), fewer(48), 50, 11);
    const Bench bench(small_model(name, 0.2, 48), graphs),
        apart(small_model(name, 0.2, 48), graphs, {.disabled_passes = {"task_parallel"}});
    EXPECT_EQ(tasks_beside(apart), 0) << name;
    if (std::string_view(name).starts_with("bilstm")) {
      EXPECT_GT(tasks_beside(bench), 0) << name;
    }
    for (const char* policy : {"frontier", "agenda"}) {
      const Result expected = apart.run(all_samples(graphs), {.threads = 2, .policy = policy}, 1);
      for (const int threads : {1, 2, 3})
        expect_same_result_bits(bench.run(all_samples(graphs), {.threads = threads, .policy = policy}, 1), expected,
                                std::string(name) + ", " + policy + ", " + std::to_string(threads) + " threads");
    }
  }
}

}  // namespace
}  // namespace cavs
