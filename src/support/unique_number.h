#pragma once

#include <atomic>
#include <cstdint>

namespace cavs::inline v0_1 {

/// Returns numbers 1, 2, ... that are unique in the process and increase with each call. Thread-safe.
inline std::uint64_t unique_number() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace cavs::inline v0_1
