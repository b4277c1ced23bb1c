#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace cavs::inline v0_1 {

/// An allocator that does not initialise new elements, for arrays that are written right after they grow.
template <typename T>
struct UninitialisedAllocator : std::allocator<T> {
  static_assert(std::is_trivially_default_constructible_v<T>);
  UninitialisedAllocator() = default;
  template <typename U>
  explicit UninitialisedAllocator(const UninitialisedAllocator<U>&) {}
  template <typename U>
  struct rebind {
    using other = UninitialisedAllocator<U>;
  };
  template <typename U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Args>
  void construct(U* place, Args&&... args) {
    std::construct_at(place, std::forward<Args>(args)...);
  }
};

template <typename T>
using UninitialisedVector = std::vector<T, UninitialisedAllocator<T>>;

}  // namespace cavs::inline v0_1
