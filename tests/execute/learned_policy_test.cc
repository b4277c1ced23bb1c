// A session runs a learned policy, and counts the tasks for which the policy has no rule.

#include <gtest/gtest.h>

#include "cavs/policy.h"
#include "helpers/evaluate.h"
#include "helpers/typed_graphs.h"

namespace cavs {
namespace {

TEST(LearnedPolicyRun, CountsTasksWithoutALearnedRule) {
  const GraphSet trees = output_trees(16, 2, 3);
  const Bench bench(typed_model(trees.schema().types), trees, {.training = false});
  const auto learned = std::make_shared<LearnedPolicy>(learn_policy("trees", *bench.bound));
  ASSERT_FALSE(learned->rules.empty());
  const auto statistics = [&](std::shared_ptr<const LearnedPolicy> policy) {
    Session session(bench.program, bench.parameters, {.policy = "fsm", .learned = std::move(policy)});
    session.forward(*bench.bound, all_samples(trees));
    return session.forward(*bench.bound, all_samples(trees)).statistics();  // statistics of one run, not a total
  };
  EXPECT_EQ(statistics(learned).fallbacks, 0);
  EXPECT_EQ(statistics(learned).tasks, learned->record.tasks);
  auto forgotten = std::make_shared<LearnedPolicy>(*learned);
  forgotten->rules.clear();
  const RunStatistics by_ratio = statistics(forgotten);
  EXPECT_EQ(by_ratio.tasks, learned->record.ratio_tasks);
  EXPECT_GT(by_ratio.fallbacks, 0);
  EXPECT_LT(by_ratio.fallbacks, by_ratio.tasks);  // a choice is needed only if several types are ready
}

}  // namespace
}  // namespace cavs
