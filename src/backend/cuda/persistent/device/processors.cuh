#pragma once

// Synchronisation of processors. Each processor has a counter of the entries that it has done.

#include "backend/cuda/entries/device/entries.cuh"

namespace cavs::cuda {

CAVS_DEVICE void wait_until(const unsigned* counter, unsigned value) {
  while (acquire(counter) < value) pause();
}

/// Waits until other processors have done the entries that this entry needs. Each thread polls some of the counters, so
/// a barrier must follow.
CAVS_DEVICE void wait(const KernelArguments& a, const Entry& entry) {
  const i32 count = entry[kWaitCountWord];
  const i32* const waits = a.words + entry[kWaitsWord];
#pragma unroll 1
  for (i32 k = 0; k < count; ++k) {
    const i32 which = load_fixed(waits + 2 * k), done = load_fixed(waits + 2 * k + 1) + 1;
#pragma unroll 1
    for (i32 other = thread(); other < processors(); other += kThreads)
      if (other != processor() && (which < 0 || which == other))
        wait_until(a.progress + other * kCounterStride, static_cast<unsigned>(done));
  }
}

/// Signals that all threads of the processor have done the entry.
CAVS_DEVICE void tell(const KernelArguments& a, i32 entry) {
  if (thread() == 0) signal(a.progress + processor() * kCounterStride, static_cast<unsigned>(entry) + 1);
}

/// Records the processor's time at a moment of an entry, for measurements (KernelOptions::clocks).
CAVS_DEVICE void note(const KernelArguments& a, i32 entry, Moment moment) {
  if constexpr (kClocks)
    if (thread() == 0)
      store(a.clocks + (static_cast<i64>(entry) * processors() + processor()) * kMoments + moment, ticks());
}

/// A barrier of all processors. @param meetings  number of earlier barriers; is incremented
CAVS_DEVICE void meet(const KernelArguments& a, unsigned& meetings) {
  unsigned* const counter = a.progress + processors() * kCounterStride;
  sync();
  ++meetings;
  if (thread() == 0) {
    arrive(counter);
    wait_until(counter, meetings * static_cast<unsigned>(processors()));
  }
  sync();
}

}  // namespace cavs::cuda
