#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace cavs {

// A program that is linked with allocations.cc counts all calls of operator new, and can make them fail.

extern std::atomic<std::int64_t> allocations;
/// Number of allocations, of at least `smallest_failure` bytes each, that succeed before one throws std::bad_alloc. If
/// negative, none fails.
extern std::atomic<std::int64_t> allocations_until_failure;
extern std::atomic<std::size_t> smallest_failure;

/// Value of `smallest_failure` for tests that read or write JSON, since the destructor of nlohmann::json allocates, and
/// a failure there ends the program. For a small model it allocates less than this.
inline constexpr std::size_t kLargerThanJson = 2048;

/// Calls f with the n-th allocation failing, for n = 0, stride, 2 stride, ... until f makes fewer than n allocations,
/// and calls after() after each f. f may catch the failure. @return the number of allocations, rounded up to the stride
template <typename F, typename After>
std::int64_t fail_each_allocation(F f, After after, std::int64_t stride = 1, std::size_t smallest = 0) {
  smallest_failure = smallest;
  for (std::int64_t n = 0;; n += stride) {
    allocations_until_failure = n;
    try {
      f();
    } catch (const std::bad_alloc&) {
    }
    const bool failed = allocations_until_failure.exchange(-1) < 0;
    after();
    if (!failed) return n;
  }
}

}  // namespace cavs
