#pragma once

#include "backend/cuda/entries/device/update.cuh"
#include "backend/cuda/persistent/device/processors.cuh"

namespace cavs::cuda {

/// Runs the entries of the update. Tasks are done, so the registers with weights are free.
CAVS_DEVICE void update(const KernelArguments& a, unsigned& meetings) {
  const i32 begin = load_fixed(a.words + kUpdateWord);
  float scale = 1;
#pragma unroll 1
  for (i32 e = begin; e < load_fixed(a.words + kEntryCountWord); ++e) {
    if (e == begin) meet(a, meetings);  // gradients are there
    const Entry entry = entry_of(a, e);
    if (entry[kShareWord] == kShareOne && entry[kOwnerWord] != processor()) continue;
    note(a, e, kBegun), note(a, e, kFound);
    wait(a, entry);
    sync();
    note(a, e, kReady);
    const Work work = work_of(a, entry);
    switch (entry[kOperationWord]) {
      case kLoss:
        sum_losses(a);
        break;
      case kSquares:
        sum_squares(a, work, entry[kNumberWord]);
        break;
      case kScale:
        scale = find_scale(a);
        if (scale < 0) return;
        break;
      case kUpdate:
        update_parameter(a, work, entry[kNumberWord], scale);
        break;
      default:
        break;
    }
    sync();
    note(a, e, kDone);
    if (entry.is(kSignals)) tell(a, e);
    note(a, e, kTold);
  }
}

}  // namespace cavs::cuda
