#pragma once

#include <atomic>
#include <cstdint>

namespace cavs::inline v0_1 {

/// Another number at each call, from 1 on, in the whole process. Later ones are larger. Thread-safe.
inline std::uint64_t unique_number() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace cavs::inline v0_1
