#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace cavs {

/// Checks law 1 (docs/how/architecture.md): the largest difference is at most 1e-5 of the reference's largest number,
/// or at most `rounding`.
template <typename T>
void expect_close(std::span<const float> found, std::span<const T> reference, const std::string& what,
                  double rounding = 0) {
  ASSERT_EQ(found.size(), reference.size()) << what;
  double largest = 0, difference = 0;
  std::size_t where = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(reference[i])));
    const double d = std::abs(static_cast<double>(found[i]) - static_cast<double>(reference[i]));
    if (std::isnan(d) || d > difference) {
      difference = d;
      where = i;
    }  // a NaN stays, because no number compares as larger
  }
  EXPECT_LE(difference, std::max(1e-5 * largest, rounding))
      << what << ", element " << where << ": " << found[where] << " against " << reference[where];
}

inline void expect_close(std::span<const float> found, std::span<const float> reference, const std::string& what,
                         double rounding = 0) {
  expect_close<float>(found, reference, what, rounding);
}

/// Checks that the numbers are bit-identical: -0 differs from 0, and a NaN equals itself.
inline void expect_same_bits(std::span<const float> found, std::span<const float> expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  if (found.empty() || std::memcmp(found.data(), expected.data(), found.size_bytes()) == 0) return;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (std::memcmp(&found[i], &expected[i], sizeof(float)) != 0) {
      ADD_FAILURE() << what << ", element " << i << " of " << found.size() << ": " << found[i] << " and " << expected[i]
                    << " differ in bits";
      return;
    }
}

}  // namespace cavs
