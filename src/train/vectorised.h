#pragma once

#include "train/optimizer_def.h"

/// A loop body that the compiler copies into a function of each instruction set. Without contraction to fused
/// multiply-adds the bits are the same in all of them.
#define CAVS_LOOP_BODY [[gnu::always_inline]] inline
#ifdef __clang__
#define CAVS_NO_CONTRACTION _Pragma("clang fp contract(off)")
#else
#define CAVS_NO_CONTRACTION  // ISO C++ mode of GCC never contracts
#endif

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
