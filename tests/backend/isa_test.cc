#include "backend/cpu/isa.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "cavs/error.h"

namespace cavs::cpu {
namespace {

TEST(InstructionSet, PortableIsAlwaysAvailableAndLast) {
  ASSERT_FALSE(available_isas().empty());
  EXPECT_STREQ(available_isas().back()->name, "portable");
  EXPECT_EQ(find_isa("portable"), available_isas().back());
  EXPECT_EQ(find_isa("neon9"), nullptr);
}

TEST(InstructionSet, Avx512CodeRunsOnAvx2AndIsNeverTheDefault) {
  EXPECT_STRNE(available_isas().front()->name, "avx2x2");
  if (find_isa("avx2x2") == nullptr) GTEST_SKIP() << "this processor has no AVX2, or the build no CAVS_TEST_KERNELS";
  EXPECT_EQ(find_isa("avx2x2")->lanes, 16);
  EXPECT_EQ(find_isa("avx2x2")->native_lanes, 8) << "generated code and the optimisers run on AVX2";
  if (const Isa* const avx512 = find_isa("avx512"); avx512 != nullptr) {
    EXPECT_EQ(find_isa("avx2x2")->strip, avx512->strip);
    EXPECT_EQ(find_isa("avx2x2")->strip_panel, avx512->strip_panel);
  }
}

TEST(InstructionSet, MultipliesAndAddsInEveryLaneOfEveryChain) {
  for (const Isa* isa : available_isas()) {
    SCOPED_TRACE(isa->name);
    float chains = 0;
    for (int c = 0; c < isa->peak_chains; ++c) chains += static_cast<float>(8 * c + 7);  // c, 2c + 1, 4c + 3, 8c + 7
    EXPECT_EQ(isa->multiply_adds(3, 2, 1), chains * static_cast<float>(isa->lanes));
    EXPECT_EQ(multiply_adds(*isa, 3), 3 * 2.0 * isa->lanes * isa->peak_chains);
  }
}

// A process chooses its instruction set once, so each choice is made in a child process.
void choose(const char* name) {
  setenv("CAVS_ISA", name, 1);
  try {
    std::fprintf(stderr, "chose %s\n", std::string(instruction_set()).c_str());
  } catch (const UserError& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
  }
  std::_Exit(0);
}

TEST(InstructionSetDeathTest, TheEnvironmentChoosesTheInstructionSet) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(choose("portable"), testing::ExitedWithCode(0), "chose portable");
}

TEST(InstructionSetDeathTest, AnUnknownNameIsAUserError) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(choose("sse9"), testing::ExitedWithCode(0), "error: CAVS_ISA is 'sse9'.*portable");
}

}  // namespace
}  // namespace cavs::cpu
