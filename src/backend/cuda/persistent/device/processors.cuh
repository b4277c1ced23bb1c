#pragma once

// How processors wait for each other: each has a counter of the entries that it has done.

#include "backend/cuda/entries/device/entries.cuh"

namespace cavs::cuda {

CAVS_DEVICE void wait_until(const unsigned* counter, unsigned value) {
  while (acquire(counter) < value) pause();
}

/// Until the processors that the entry waits for have done what it waits for; a thread looks at a counter, so all are
/// to meet then.
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

/// All threads of the processor have done the entry.
CAVS_DEVICE void tell(const KernelArguments& a, i32 entry) {
  if (thread() == 0) signal(a.progress + processor() * kCounterStride, static_cast<unsigned>(entry) + 1);
}

/// For measurements: when the processor was there.
CAVS_DEVICE void note(const KernelArguments& a, i32 entry, Moment moment) {
  if constexpr (kClocks)
    if (thread() == 0)
      store(a.clocks + (static_cast<i64>(entry) * processors() + processor()) * kMoments + moment, ticks());
}

/// All processors meet. @param meetings  how often they have met before
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
