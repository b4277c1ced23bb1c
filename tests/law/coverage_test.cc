#include "law/coverage.h"

#include <gtest/gtest.h>

#include "law/law_case.h"

namespace cavs::law {
namespace {

// Counts the pairs that 20,000 cases would cover, without running the cases.
TEST(LawCases, HaveEveryPairThatIsAllowed) {
  Coverage coverage;
  Numbers numbers(1);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const LawCase drawn = draw_case(numbers.next() / kSizes / 2 * kSizes + i % kSizes);
    if (refusals_of(drawn).empty()) coverage.ran(drawn);
  }
  EXPECT_EQ(coverage.rare_pairs(5), "");
}

}  // namespace
}  // namespace cavs::law
