#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace cavs::cpu {

struct FreeFloats {
  std::align_val_t alignment{};
  void operator()(float* p) const { ::operator delete[](p, alignment); }
};
/// An array of floats that is aligned to a cache line.
using AlignedFloats = std::unique_ptr<float[], FreeFloats>;

/// Returns `count` floats, all zero. Large blocks use huge pages if the system has them, because a step accesses
/// more memory than the TLB covers with small pages. @throws std::bad_alloc
AlignedFloats aligned_floats(std::size_t count);

}  // namespace cavs::cpu
