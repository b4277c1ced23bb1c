#include "support/large_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace cavs {
namespace {

TEST(LargePages, AreZeros) {
  for (const std::size_t count : {0, 1, 1000, 3 << 20}) {
    const std::vector<float> floats = zeros_in_large_pages(count);
    EXPECT_EQ(floats.size(), count);
    EXPECT_TRUE(std::ranges::all_of(floats, [](float x) { return x == 0; }));
  }
}

/// Flags of the memory at an address (proc(5)). "hg" means that large pages were requested.
std::string flags_of(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  bool within = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    if (std::istringstream range(line); range >> std::hex >> begin >> dash >> end && dash == '-')
      within = begin <= wanted && wanted < end;
    else if (within && line.starts_with("VmFlags:"))
      return line + " ";
  }
  return "";
}

TEST(LargePages, AreRequestedForLargeBlocks) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage"))
    GTEST_SKIP() << "this system has no transparent large pages";
  const std::vector<float> large = zeros_in_large_pages(3 << 20);
  EXPECT_NE(flags_of(large.data() + large.size() / 2).find(" hg "), std::string::npos);
}

}  // namespace
}  // namespace cavs
