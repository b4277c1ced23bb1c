#pragma once

namespace cavs::cuda {

/// What a kernel compiled for fibers calls. A thread's access to memory is told before it is made.
struct FiberFunctions {
  int (*thread)();
  int (*processor)();
  int (*processors)();
  void (*sync)();
  void (*sync_warp)();
  unsigned long long (*shuffle_xor)(unsigned long long, int mask);
  void (*multiply_matrices)(float* sums, const unsigned* a, const unsigned* b);
  void (*load)(const void*, int bytes);
  void (*load_fixed)(const void*, int bytes);
  void (*store)(const void*, int bytes);
  void (*signal)(unsigned* counter, unsigned value);
  void (*arrive)(unsigned* counter);
  unsigned (*acquire)(const unsigned* counter);
  void (*pause)();
};

}  // namespace cavs::cuda
