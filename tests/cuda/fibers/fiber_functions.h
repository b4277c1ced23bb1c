#pragma once

namespace cavs::cuda {

/// What a kernel compiled for fibers calls. A thread's access to memory is told before it is made, and not made where
/// the answer is false: it lies outside of all memory.
struct FiberFunctions {
  int (*thread)();
  int (*processor)();
  int (*processors)();
  void (*sync)();
  void (*sync_warp)();
  unsigned long long (*shuffle_xor)(unsigned long long, int mask);
  void (*multiply_matrices)(float* sums, const unsigned* a, const unsigned* b);
  void (*multiply_matrices_tf32)(float* sums, const unsigned* a, const unsigned* b);
  void* (*shared)(int bytes);        // of the block; always asked for as many
  void* (*shared_words)(int bytes);  // the same of dynamic shared memory
  bool (*load)(const void*, int bytes);
  bool (*load_fixed)(const void*, int bytes);
  bool (*store)(const void*, int bytes);
  void (*signal)(unsigned* counter, unsigned value);
  void (*arrive)(unsigned* counter);
  unsigned (*acquire)(const unsigned* counter);
  void (*pause)();
};

}  // namespace cavs::cuda
