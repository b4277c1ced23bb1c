#pragma once

#include "helpers/evaluate.h"
#include "placement/on_chip.h"

namespace cavs::cuda {

/// A GPU of so few processors; transposed weights have copies of their own where `copies`.
inline OnChipTarget few_processors(int processors, bool copies) {
  OnChipTarget target = gpu_targets().back();
  target.processors = processors;
  if (copies) target.transposed = TransposedReads::kCopy;
  return target;
}

}  // namespace cavs::cuda
