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
  const std::align_val_t alignment{large ? kHugePage : kCacheLine};
  void* const memory = ::operator new[](bytes, alignment);
#if defined(MADV_HUGEPAGE)
  if (large) madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: where it is refused, pages are small
#endif
  std::memset(memory, 0, bytes);
  return AlignedFloats(static_cast<float*>(memory), {alignment});
}

}  // namespace cavs::cpu
