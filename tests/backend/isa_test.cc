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

// A process chooses once, so each choice is made in a child.
void choose(const char* name) {
  setenv("CAVS_ISA", name, 1);
  try {
    std::fprintf(stderr, "chose %s\n", std::string(instruction_set()).c_str());
  } catch (const UserError& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
  }
  std::_Exit(0);
}

TEST(InstructionSetDeathTest, TheEnvironmentChoosesIt) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(choose("portable"), testing::ExitedWithCode(0), "chose portable");
}

TEST(InstructionSetDeathTest, AnUnknownOneIsTheCallersMistake) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(choose("sse9"), testing::ExitedWithCode(0), "error: CAVS_ISA is 'sse9'.*portable");
}

}  // namespace
}  // namespace cavs::cpu
