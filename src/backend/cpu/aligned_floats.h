#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace cavs::cpu {

inline constexpr std::align_val_t kCacheLine{64};

struct AlignedDelete {
  void operator()(float* p) const { ::operator delete[](p, kCacheLine); }
};
/// Floats that start on a cache line.
using AlignedFloats = std::unique_ptr<float[], AlignedDelete>;

inline AlignedFloats aligned_floats(std::size_t count) { return AlignedFloats(new (kCacheLine) float[count]()); }

}  // namespace cavs::cpu
