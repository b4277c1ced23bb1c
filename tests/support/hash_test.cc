#include "support/hash.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

namespace cavs {
namespace {

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  ContentHash hash;
  hash.update(bytes);
  return hash.digest();
}

std::vector<std::byte> arbitrary_bytes() {
  const auto numbers = *rc::gen::arbitrary<std::vector<std::uint8_t>>();
  std::vector<std::byte> bytes;
  for (const std::uint8_t number : numbers) bytes.push_back(std::byte{number});
  return bytes;
}

TEST(ContentHash, DoesNotDependOnHowTheBytesAreSplit) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<std::byte> bytes = arbitrary_bytes();
    const std::span<const std::byte> all(bytes);
    const auto first = *rc::gen::inRange<std::size_t>(0, bytes.size() + 1);
    const auto second = *rc::gen::inRange<std::size_t>(first, bytes.size() + 1);
    ContentHash hash;
    hash.update(all.first(first));
    hash.update(all.subspan(first, second - first));
    hash.update(all.subspan(second));
    RC_ASSERT(hash.digest() == hash_of(all));
  }));
}

TEST(ContentHash, ChangesWithEveryBitAndWithTheLength) {
  std::vector<std::byte> bytes(61);
  const std::uint64_t before = hash_of(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_NE(hash_of(bytes), before) << bit;
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
  }
  bytes.push_back(std::byte{0});
  EXPECT_NE(hash_of(bytes), before);
}

TEST(ContentHash, DetectsTwoFlippedSigns) {
  std::vector<float> values{1, 2, 3, 4};
  const std::uint64_t before = hash_of(std::as_bytes(std::span(values)));
  values[1] = -2;
  values[3] = -4;
  EXPECT_NE(hash_of(std::as_bytes(std::span(values))), before);
}

TEST(ContentHash, NeverChanges) {
  const std::string_view text = "the same on every machine";
  EXPECT_EQ(hash_of(std::as_bytes(std::span(text))), 0xE254B6F889FA3AB5U);
}

}  // namespace
}  // namespace cavs
