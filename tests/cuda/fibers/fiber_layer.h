#pragma once

// Replaces device/cuda_layer.cuh if g++ compiles a kernel for fibers (emulated CUDA threads). It is included before the
// kernel's text.

#include "cuda/fibers/fiber_functions.h"

#define CAVS_DEVICE inline
#define CAVS_KERNEL(threads) extern "C" void
#define CAVS_TABLE static const

extern "C" {
const cavs::cuda::FiberFunctions* cavs_fibers;
}

namespace cavs::cuda {

inline int thread() { return cavs_fibers->thread(); }
inline int processor() { return cavs_fibers->processor(); }
inline int processors() { return cavs_fibers->processors(); }
inline void begin_launch() {}
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
T& shared() {
  return *static_cast<T*>(cavs_fibers->shared(sizeof(T)));
}

template <int kWords>
unsigned* shared_words() {
  return static_cast<unsigned*>(cavs_fibers->shared_words(kWords * sizeof(unsigned)));
}

template <typename T>
T load(const T* p) {
  return cavs_fibers->load(p, sizeof(T)) ? *p : T();
}
template <typename T>
void store(T* p, T x) {
  if (cavs_fibers->store(p, sizeof(T))) *p = x;
}
inline int load_fixed(const int* p) { return cavs_fibers->load_fixed(p, sizeof(int)) ? *p : 0; }
inline int load_listed(const int* list, int number, int otherwise) {
  return list == nullptr ? otherwise : load_fixed(list + number);
}
inline float load_or_zero(const float* p, int row) { return row < 0 ? 0.0F : load(p); }
/// Copies before it returns; cp.async on a GPU copies later.
inline void copy_to_shared(unsigned* to, const float* from, int row) {
  unsigned bits = 0;
  const float x = load_or_zero(from, row);
  __builtin_memcpy(&bits, &x, sizeof x);
  store(to, bits);
}
inline void copy_bytes_to_shared(unsigned* to, const void* from, int count) {
  for (int i = 0; i < 4; ++i, count -= 4) {
    const auto* const word = static_cast<const unsigned*>(from) + i;
    store(to + i, count >= 4   ? load(word)
                  : count >= 2 ? static_cast<unsigned>(load(reinterpret_cast<const unsigned short*>(word)))
                               : 0U);
  }
}
inline bool is_aligned(const void* p) { return (reinterpret_cast<unsigned long long>(p) & 15) == 0; }
inline void commit_copies() {}
template <int>
void stages_arrive() {}
inline void copies_arrive() {}
inline void signal(unsigned* counter, unsigned value) { cavs_fibers->signal(counter, value); }
inline void arrive(unsigned* counter) { cavs_fibers->arrive(counter); }
inline unsigned acquire(const unsigned* counter) { return cavs_fibers->acquire(counter); }
inline long long ticks() { return 1; }
inline void pause() { cavs_fibers->pause(); }
inline void keep(float&) {}
template <typename T>
const T* forget(const T* p) {
  return p;
}
inline int forget(int x) { return x; }
constexpr unsigned kNoNumber = 0xFFFFFFFFU;
template <typename T>
const T* after(const T* p, unsigned) {
  return p;
}
inline int after(int x, unsigned) { return x; }
/// Returns a / b. If b is 0, returns some number, as a GPU does, instead of ending the program.
inline int quotient(int a, int b) {
  return b == 0 ? -1 : static_cast<int>(static_cast<unsigned>(a) / static_cast<unsigned>(b));
}
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

/// Returns x rounded to bf16: to nearest, ties to even.
inline unsigned bf16_of(float x) {
  const unsigned bits = bits_of(x);
  return x != x ? 0x7FFF : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}
inline unsigned pack_bf16(float low, float high) { return bf16_of(high) << 16 | bf16_of(low); }
inline void multiply_matrices(float (&sums)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  cavs_fibers->multiply_matrices(sums, a, b);
}
inline unsigned pack_tf32(float x) { return x != x ? 0x7FFFE000 : (bits_of(x) + 0x1000) & ~0x1FFFU; }
inline void multiply_matrices_tf32(float (&sums)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  cavs_fibers->multiply_matrices_tf32(sums, a, b);
}
inline void keep(unsigned&) {}

}  // namespace cavs::cuda
