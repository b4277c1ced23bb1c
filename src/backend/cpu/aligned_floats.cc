#include "backend/cpu/aligned_floats.h"

#include <cstring>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace cavs::cpu {
namespace {

constexpr std::size_t kCacheLine = 64, kHugePage = std::size_t{2} << 20;

}  // namespace

AlignedFloats aligned_floats(std::size_t count) {
  const std::size_t bytes = (count * sizeof(float) / kCacheLine + 1) * kCacheLine;
  const bool large = bytes >= kHugePage;
  const std::size_t alignment = large ? kHugePage : kCacheLine;
  // aligned_alloc wants whole multiples; what is behind `bytes` is never touched, so it takes no memory.
  void* const memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  if (large) madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: where it is refused, pages are small
#endif
  std::memset(memory, 0, bytes);
  return AlignedFloats(static_cast<float*>(memory));
}

}  // namespace cavs::cpu
