#pragma once

namespace cavs::cuda {

/// What a kernel compiled for fibers calls.
struct FiberFunctions {
  int (*thread)();
  int (*processor)();
  int (*processors)();
  void (*sync)();
  void (*sync_warp)();
  unsigned long long (*shuffle_xor)(unsigned long long, int mask);
  void (*pause)();
};

}  // namespace cavs::cuda
