#pragma once

namespace cavs::cuda {

/// Functions that a kernel calls if it is compiled for fibers (emulated CUDA threads). A thread announces each memory
/// access, and skips it if the function returns false because the address is outside of all memory.
struct FiberFunctions {
  int (*thread)();
  int (*processor)();
  int (*processors)();
  void (*sync)();
  void (*sync_warp)();
  unsigned long long (*shuffle_xor)(unsigned long long, int mask);
  void (*multiply_matrices)(float* sums, const unsigned* a, const unsigned* b);
  void (*multiply_matrices_tf32)(float* sums, const unsigned* a, const unsigned* b);
  void* (*shared)(int bytes);        // returns shared memory of the block; all calls must pass the same size
  void* (*shared_words)(int bytes);  // like `shared`, for dynamic shared memory
  bool (*load)(const void*, int bytes);
  bool (*load_fixed)(const void*, int bytes);
  bool (*store)(const void*, int bytes);
  void (*signal)(unsigned* counter, unsigned value);
  void (*arrive)(unsigned* counter);
  unsigned (*acquire)(const unsigned* counter);
  void (*pause)();
};

}  // namespace cavs::cuda
