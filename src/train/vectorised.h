#pragma once

#include "train/optimizer_def.h"

/// A loop body that the compiler copies into a function of each instruction set. The library is compiled without
/// contraction to fused multiply-adds (src/CMakeLists.txt), or AVX-512 would fuse in vectors of 16 and in single
/// elements, but not in the vectors of 8 between them. So the bits are the same in all of them, and in each however the
/// elements are shared out and wherever they lie.
#define CAVS_LOOP_BODY [[gnu::always_inline]] inline

namespace cavs {

using UpdateRule = void (*)(const StepScalars&, const UpdateRange&);

#ifdef __x86_64__
template <UpdateRule body>
[[gnu::target("avx512f")]] void update_avx512(const StepScalars& scalars, const UpdateRange& range) {
  body(scalars, range);
}
template <UpdateRule body>
[[gnu::target("avx2")]] void update_avx2(const StepScalars& scalars, const UpdateRange& range) {
  body(scalars, range);
}
template <UpdateRule body>
void update_baseline(const StepScalars& scalars, const UpdateRange& range) {
  body(scalars, range);
}
#endif

/// Runs `body` compiled for the widest vectors of this processor.
template <UpdateRule body>
void vectorised(const StepScalars& scalars, const UpdateRange& range) {
#ifdef __x86_64__
  static const UpdateRule chosen = __builtin_cpu_supports("avx512f") ? update_avx512<body>
                                   : __builtin_cpu_supports("avx2")  ? update_avx2<body>
                                                                     : update_baseline<body>;
  chosen(scalars, range);
#else
  body(scalars, range);
#endif
}

}  // namespace cavs
