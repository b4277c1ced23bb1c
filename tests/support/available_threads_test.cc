#include "support/available_threads.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.h"

namespace cavs {
namespace {

TEST(AvailableThreads, AreLimitedByTheProcessorsAndTheQuotaOfAControlGroup) {
  const int all = processors();
  const TemporaryFolder folder;
  const auto threads_of = [&](const char* proc) {
    return available_threads(written(folder / "proc", proc), folder / "");
  };
  std::filesystem::create_directories(folder / "a/b");
  std::filesystem::create_directories(folder / "cpu/c");
  EXPECT_EQ(threads_of("0::/a/b\n"), all);
  written(folder / "a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(threads_of("0::/a/b\n"), all);
  written(folder / "a/cpu.max", "50000 100000\n");  // quota of the parent group
  EXPECT_EQ(threads_of("0::/a/b\n"), 1);
  EXPECT_EQ(threads_of("0::/\n"), all);
  written(folder / "cpu/c/cpu.cfs_quota_us", "-1\n");
  written(folder / "cpu/c/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(threads_of("7:cpu,cpuacct:/c\n3:memory:/d\n"), all);
  written(folder / "cpu/c/cpu.cfs_quota_us", "100000\n");
  EXPECT_EQ(threads_of("7:cpu,cpuacct:/c\n3:memory:/d\n"), 1);
  EXPECT_EQ(quota_of(folder / "none"), 0);
  written(folder / "a/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota_of(folder / "a"), 2);
  EXPECT_EQ(available_threads(folder / "none", folder / ""), all);
}

}  // namespace
}  // namespace cavs
