#pragma once

#include "backend/cpu/kernels.h"
#include "compile/target.h"

namespace cavs::cpu {

/// The target of programs that the CPU kernels run.
inline constexpr Target kTarget{.slice_columns = kSlice, .sum_rows = kSumBlock};
static_assert(kTarget == Target{}, "programs are compiled for the CPU unless the caller names another target");

}  // namespace cavs::cpu
