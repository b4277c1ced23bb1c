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
  AlignedFloats floats(static_cast<float*>(std::aligned_alloc(large ? kHugePage : kCacheLine, bytes)));
  if (!floats) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  if (large) madvise(floats.get(), bytes, MADV_HUGEPAGE);  // a wish: where it is refused, pages are small
#endif
  std::memset(floats.get(), 0, bytes);
  return floats;
}

}  // namespace cavs::cpu
