// A session runs a policy that was learned, and counts what it had not learned about.

#include <gmock/gmock.h>

#include "cavs/policy.h"
#include "graphs/error_text.h"
#include "helpers/evaluate.h"
#include "helpers/typed_graphs.h"

namespace cavs {
namespace {

using testing::HasSubstr;

TEST(LearnedPolicyRun, CountsTheTasksItHadNotLearnedAbout) {
  const GraphSet trees = output_trees(16, 2, 3);
  const Bench bench(typed_model(trees.schema().types), trees, {.training = false});
  const auto learned = std::make_shared<LearnedPolicy>(learn_policy("trees", *bench.bound));
  ASSERT_FALSE(learned->rules.empty());
  const auto statistics = [&](std::shared_ptr<const LearnedPolicy> policy) {
    Session session(bench.program, bench.parameters, {.policy = "fsm", .learned = std::move(policy)});
    session.forward(*bench.bound, all_samples(trees));
    return session.forward(*bench.bound, all_samples(trees)).statistics();  // of one run, not of all so far
  };
  EXPECT_EQ(statistics(learned).fallbacks, 0);
  EXPECT_EQ(statistics(learned).tasks, learned->record.tasks);
  auto forgotten = std::make_shared<LearnedPolicy>(*learned);
  forgotten->rules.clear();
  const RunStatistics by_ratio = statistics(forgotten);
  EXPECT_EQ(by_ratio.tasks, learned->record.ratio_tasks);
  EXPECT_GT(by_ratio.fallbacks, 0);
  EXPECT_LT(by_ratio.fallbacks, by_ratio.tasks);  // where one type is ready there is nothing to learn
}

TEST(LearnedPolicyRun, IsRefusedWhereNoneWasLearnedOrForAnotherModel) {
  const GraphSet trees = output_trees(2, 1, 3), lattices = random_lattices(2, 1);
  const Bench bench(typed_model(trees.schema().types), trees), other(typed_model(lattices.schema().types), lattices);
  const auto open = [&](std::shared_ptr<const LearnedPolicy> policy) {
    return error_of([&] { Session(bench.program, bench.parameters, {.policy = "fsm", .learned = policy}); });
  };
  EXPECT_THAT(open(nullptr), HasSubstr("has to be learned first"));
  EXPECT_THAT(open(std::make_shared<LearnedPolicy>(learn_policy("lattices", *other.bound))),
              HasSubstr("learned for model 'lattices'"));
}

}  // namespace
}  // namespace cavs
