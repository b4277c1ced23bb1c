#include "helpers/allocations.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace cavs {

std::atomic<std::int64_t> allocations{0}, allocations_until_failure{-1};
std::atomic<std::size_t> smallest_failure{0};

}  // namespace cavs

namespace {

void* counted(std::size_t size, std::size_t alignment) {
  cavs::allocations.fetch_add(1, std::memory_order_relaxed);
  if (size >= cavs::smallest_failure.load(std::memory_order_relaxed) &&
      cavs::allocations_until_failure.load(std::memory_order_relaxed) >= 0 &&
      cavs::allocations_until_failure.fetch_sub(1, std::memory_order_relaxed) == 0)
    throw std::bad_alloc();
  const std::size_t rounded = (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment;
  void* memory = alignment <= alignof(std::max_align_t) ? std::malloc(std::max<std::size_t>(size, 1))
                                                        : std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* counted_or_null(std::size_t size) noexcept {
  try {
    return counted(size, alignof(std::max_align_t));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

// Not inlined, or g++ would warn that operator new does not match free.
[[gnu::noinline]] void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new[](std::size_t size) { return counted(size, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted_or_null(size); }
[[gnu::noinline]] void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return counted_or_null(size);
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t align) {
  return counted(size, static_cast<std::size_t>(align));
}
[[gnu::noinline]] void* operator new[](std::size_t size, std::align_val_t align) {
  return counted(size, static_cast<std::size_t>(align));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
