#pragma once

namespace cavs::cuda {

/// True if the program takes all models and sizes (cuda_sweep), false if it takes few of them.
#if defined(CAVS_SWEEP)
inline constexpr bool kSweeps = true;
#else
inline constexpr bool kSweeps = false;
#endif

}  // namespace cavs::cuda
