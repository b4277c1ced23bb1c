#pragma once

namespace cavs::cuda {

/// Whether the program takes all models and sizes (cuda_sweep), or few of them.
#if defined(CAVS_SWEEP)
inline constexpr bool kSweeps = true;
#else
inline constexpr bool kSweeps = false;
#endif

}  // namespace cavs::cuda
