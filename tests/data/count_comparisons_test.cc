#include "data/count_comparisons.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "helpers/sanitizer.h"

namespace {
std::atomic<std::int64_t> count = 0, searched = 0;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Replaces the C library's function.
extern "C" int memcmp(const void* a, const void* b, std::size_t size) noexcept {
  count.fetch_add(1, std::memory_order_relaxed);
  const auto *left = static_cast<const unsigned char*>(a), *right = static_cast<const unsigned char*>(b);
  for (std::size_t i = 0; i < size; ++i)
    if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
  return 0;
}

extern "C" void* counted_memchr(const void* in, int byte, std::size_t size) noexcept asm("memchr");
extern "C" void* counted_memchr(const void* in, int byte, std::size_t size) noexcept {
  const auto* bytes = static_cast<const unsigned char*>(in);
  std::size_t i = 0;
  while (i < size && bytes[i] != static_cast<unsigned char>(byte)) ++i;
  searched.fetch_add(static_cast<std::int64_t>(i) + 1, std::memory_order_relaxed);
  return i < size ? const_cast<unsigned char*>(bytes + i) : nullptr;
}
#endif

namespace cavs {

std::int64_t comparisons() { return count; }
std::int64_t bytes_searched() { return searched; }

TEST(Comparisons, CountComparisonsOfStringsOfEqualLength) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has its own memcmp";
  std::vector<std::string> names;
  for (int i = 10'000; i < 11'000; ++i) names.push_back(std::to_string(i));
  const std::int64_t before = comparisons();
  EXPECT_EQ(std::find(names.begin(), names.end(), "10999") - names.begin(), 999);
  EXPECT_GE(comparisons() - before, 1'000);
}

}  // namespace cavs
