#pragma once

namespace cavs::cuda {

/// True in cuda_sweep, which runs all models and sizes. Other programs run a few.
#if defined(CAVS_SWEEP)
inline constexpr bool kSweeps = true;
#else
inline constexpr bool kSweeps = false;
#endif

}  // namespace cavs::cuda
