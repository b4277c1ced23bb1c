#include "zoo/coverage.h"

#include <gtest/gtest.h>

#include "zoo/case.h"

namespace cavs::zoo {
namespace {

TEST(ZooCases, HaveEveryPairOfValuesThatIsNotRefused) {
  Coverage coverage;
  constexpr int kCases = 40'000;
  for (int seed = 0; seed < kCases; ++seed) {
    const ZooCase of = draw_case(seed);
    std::set<std::string> ran{"train", "eval", "predict"};
    for (const Refusal* refusal : refusals_of(of, "")) ran.erase(refusal->command);
    coverage.ran(of, ran.contains("train") ? ran : std::set<std::string>());
  }
  EXPECT_EQ(coverage.rare_pairs(5), "") << coverage.table();
}

}  // namespace
}  // namespace cavs::zoo
