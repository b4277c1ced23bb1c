#include "backend/cpu/aligned_floats.h"

#include <cstring>
#include <new>

#include "support/large_pages.h"

namespace cavs::cpu {
namespace {

constexpr std::size_t kCacheLine = 64;

}  // namespace

AlignedFloats aligned_floats(std::size_t count) {
  const std::size_t bytes = (count * sizeof(float) / kCacheLine + 1) * kCacheLine;
  const bool large = bytes >= kLargePage;
  const std::align_val_t alignment{large ? kLargePage : kCacheLine};
  void* const memory = ::operator new[](bytes, alignment);
  ask_for_large_pages(memory, bytes);
  std::memset(memory, 0, bytes);
  return AlignedFloats(static_cast<float*>(memory), {alignment});
}

}  // namespace cavs::cpu
