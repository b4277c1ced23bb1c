#include "support/unique_number.h"

#include <atomic>

namespace cavs {

std::uint64_t unique_number() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace cavs
