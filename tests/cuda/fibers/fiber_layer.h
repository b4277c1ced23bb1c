#pragma once

// Stands in for device/cuda_layer.h where g++ compiles a kernel for fibers: a block is a thread of the process, its
// CUDA threads are fibers of that thread. Included before the kernel's text.

#include "cuda/fibers/fiber_functions.h"

#define CAVS_DEVICE inline
#define CAVS_KERNEL(threads) extern "C" void
#define CAVS_SHARED static thread_local
#define CAVS_TABLE static const

extern "C" {
const cavs::cuda::FiberFunctions* cavs_fibers;
}

namespace cavs::cuda {

inline int thread() { return cavs_fibers->thread(); }
inline int processor() { return cavs_fibers->processor(); }
inline int processors() { return cavs_fibers->processors(); }
inline void sync() { cavs_fibers->sync(); }
inline void sync_warp() { cavs_fibers->sync_warp(); }

template <typename T>
T shuffle_xor(T x, int mask) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &x, sizeof x);
  bits = cavs_fibers->shuffle_xor(bits, mask);
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

template <typename T>
T load(const T* p) {
  return *p;
}
template <typename T>
void store(T* p, T x) {
  *p = x;
}
inline int load_fixed(const int* p) { return *p; }
inline void signal(unsigned* counter, unsigned value) { __atomic_store_n(counter, value, __ATOMIC_RELEASE); }
inline void arrive(unsigned* counter) { __atomic_fetch_add(counter, 1, __ATOMIC_RELEASE); }
inline unsigned acquire(const unsigned* counter) { return __atomic_load_n(counter, __ATOMIC_ACQUIRE); }
inline void pause() { cavs_fibers->pause(); }
inline void keep(float&) {}
inline float multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline float square_root(float x) { return __builtin_sqrtf(x); }
inline double square_root(double x) { return __builtin_sqrt(x); }
inline unsigned bits_of(float x) {
  unsigned bits;
  __builtin_memcpy(&bits, &x, sizeof x);
  return bits;
}
inline float float_of(unsigned bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

}  // namespace cavs::cuda
