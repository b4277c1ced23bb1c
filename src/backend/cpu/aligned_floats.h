#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace cavs::cpu {

struct FreeFloats {
  std::align_val_t alignment{};
  void operator()(float* p) const { ::operator delete[](p, alignment); }
};
/// Floats that start on a cache line.
using AlignedFloats = std::unique_ptr<float[], FreeFloats>;

/// Zeros. Large blocks lie in huge pages where the system has them, as a step walks over more memory than the TLB knows
/// in small ones. @throws std::bad_alloc
AlignedFloats aligned_floats(std::size_t count);

}  // namespace cavs::cpu
