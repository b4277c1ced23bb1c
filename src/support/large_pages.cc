#include "support/large_pages.h"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace cavs::inline v0_1 {

void ask_for_large_pages(void* begin, std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t end = (address + bytes) / kLargePage * kLargePage;
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#else
  static_cast<void>(begin);
  static_cast<void>(bytes);
#endif
}

std::vector<float> zeros_in_large_pages(std::size_t count) {
  std::vector<float> floats;
  floats.reserve(count);
  ask_for_large_pages(floats.data(), count * sizeof(float));
  floats.resize(count);
  return floats;
}

}  // namespace cavs::inline v0_1
