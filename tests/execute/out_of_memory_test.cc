// A failed allocation, in any worker and at any point, throws an exception and leaves the session unchanged.

#include <gmock/gmock.h>

#include "helpers/allocations.h"
#include "helpers/evaluate.h"
#include "helpers/models.h"

namespace cavs {
namespace {

class OutOfMemory : public testing::TestWithParam<int> {
 protected:
  static int threads() { return GetParam(); }
  static SessionOptions options() { return {.threads = threads()}; }
};
INSTANTIATE_TEST_SUITE_P(Threads, OutOfMemory, testing::Values(1, 2, 3), testing::PrintToStringParamName());

struct GrowingCase {
  GraphSet graphs = random_samples(find_model("tree-lstm"), 40, 50, 11);
  Bench bench{small_model("tree-lstm", 0, 24), graphs};
  std::vector<std::int32_t> all = all_samples(graphs), few{0, 1};
  Gradients expected{*bench.parameters};
  double loss = 0;

  GrowingCase() {
    Session session(bench.program, bench.parameters, {});
    cavs::Run run = session.forward(*bench.bound, few);
    run.backward(expected);
    loss = run.loss();
  }
};

TEST_P(OutOfMemory, AFailedAllocationInARunLeavesTheSessionUsable) {
  const GrowingCase c;
  Gradients gradients(*c.bench.parameters);
  std::unique_ptr<Session> session;
  const auto restart = [&] { session = std::make_unique<Session>(c.bench.program, c.bench.parameters, options()); };
  restart();
  const std::int64_t allocations =
      fail_each_allocation([&] { session->forward(*c.bench.bound, c.all).backward(gradients); },
                           [&] {
                             cavs::Run run = session->forward(*c.bench.bound, c.few);
                             run.backward(gradients);
                             ASSERT_EQ(run.loss(), c.loss);
                             ASSERT_TRUE(std::ranges::equal(gradients.flat(), c.expected.flat()));
                             restart();  // new workers have no memory yet
                           });
  EXPECT_GT(allocations, 50 + 2 * threads()) << "the arena, the plan, the rows, and memory of each worker";
}

TEST_P(OutOfMemory, AFailedAllocationInAConstructorLeavesNothingBehind) {
  const GrowingCase c;
  const std::int64_t allocations =
      fail_each_allocation([&] { Session(c.bench.program, c.bench.parameters, options()); }, [] {});
  EXPECT_GT(allocations, 20);
}

}  // namespace
}  // namespace cavs
