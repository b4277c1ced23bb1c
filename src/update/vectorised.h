#pragma once

#include "backend/cpu/isa.h"
#include "update/optimizer_def.h"

/// Marks the loop of an update rule, which is inlined into one function per instruction set. Results are bit-identical
/// for all instruction sets, divisions among threads, and alignments. For this, the library is compiled without
/// contraction to fused multiply-adds (src/CMakeLists.txt), which would fuse in some vector widths but not in others.
#define CAVS_LOOP_BODY [[gnu::always_inline]] inline

namespace cavs::inline v0_1 {

#ifdef __x86_64__
template <UpdateRule body>
[[gnu::target("avx512f")]] void update_avx512(const StepScalars& scalars, const UpdateRange& range) {
  body(scalars, range);
}
template <UpdateRule body>
[[gnu::target("avx2")]] void update_avx2(const StepScalars& scalars, const UpdateRange& range) {
  body(scalars, range);
}
#endif
template <UpdateRule body>
void update_baseline(const StepScalars& scalars, const UpdateRange& range) {
  body(scalars, range);
}

/// Returns the variant of `body` for an instruction set.
template <UpdateRule body>
UpdateRule vectorised([[maybe_unused]] const cpu::Isa& isa) {
#ifdef __x86_64__
  if (isa.native_lanes == 16) return update_avx512<body>;
  if (isa.native_lanes == 8) return update_avx2<body>;
#endif
  return update_baseline<body>;
}

}  // namespace cavs::inline v0_1
