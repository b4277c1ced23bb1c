#include "support/bytes.h"

#include <gtest/gtest.h>

namespace cavs {
namespace {

TEST(FormatBytes, ChoosesAReadableUnit) {
  EXPECT_EQ(format_bytes(0), "0 bytes");
  EXPECT_EQ(format_bytes(1023), "1023 bytes");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(64 << 20), "64.0 MiB");
  EXPECT_EQ(format_bytes(std::int64_t{5} << 30), "5.0 GiB");
  EXPECT_EQ(format_bytes(std::int64_t{3} << 50), "3072.0 TiB");
}

}  // namespace
}  // namespace cavs
