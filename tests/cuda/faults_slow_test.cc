// A persistent kernel with a missing wait is always reported, for every wait of its script and every barrier of its
// text.
// whichever barrier from its text.

#include <gmock/gmock.h>

#include "cuda/fibers/mutants.h"
#include "cuda/removed_barriers.h"
#include "helpers/sanitizer.h"

namespace cavs::cuda {
namespace {

using testing::IsEmpty;

TEST(MissingWait, IsReported) {
  const MutantsOnFibers tree(zoo_case("tree-lstm", 1)), one_tile(wide_softmax(1, 256)), summed(gradients_of_tasks(1));
  EXPECT_GT(tree.mutants().expect_waits_are_needed(kSanitized ? 20 : 1000), 0);
  EXPECT_GT(one_tile.mutants().expect_meetings_are_needed(), 0);
  EXPECT_GT(summed.mutants().expect_meetings_are_needed(), 0);
}

/// Removes three barriers that every model needs. tests/cuda/sweep removes every barrier.
TEST(MissingBarrier, IsReported) {
  const MutantsOnFibers small(zoo_case("tree-lstm", 1));
  const std::vector<TextMutant> mutants = without_each_barrier(small.step().source(), "/batched/");
  for (const std::string_view place : {"gradients are there", "note(a, e, kBegun), note(a, e, kFound)",
                                       "sync();  // the processor has done the entry"}) {
    const auto mutant =
        std::ranges::find_if(mutants, [&](const TextMutant& m) { return m.what.find(place) != std::string::npos; });
    ASSERT_NE(mutant, mutants.end()) << place;
    EXPECT_FALSE(small.faults(KernelOnFibers(small.step(), mutant->source)).empty()) << mutant->what;
  }
}

}  // namespace
}  // namespace cavs::cuda
