#pragma once

// Describes fibers (emulated CUDA threads) to ThreadSanitizer as threads that only barriers and counters order, so that
// it finds races between fibers, too. Does nothing in builds without ThreadSanitizer.

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>

extern "C" {
void __tsan_ignore_thread_begin();  // NOLINT: from the run-time library, which has no header for it
void __tsan_ignore_thread_end();    // NOLINT
}
#endif

namespace cavs::cuda::tsan {

#if defined(__SANITIZE_THREAD__)

/// All that this thread did before release() happens before a later acquire() of the same place.
inline void release(const void* place) { __tsan_release(const_cast<void*>(place)); }
inline void acquire(const void* place) { __tsan_acquire(const_cast<void*>(place)); }

/// While an object exists, ThreadSanitizer ignores accesses, which are not accesses of the kernel.
class IgnoredAccesses {
 public:
  IgnoredAccesses() { __tsan_ignore_thread_begin(); }
  ~IgnoredAccesses() { __tsan_ignore_thread_end(); }
  IgnoredAccesses(const IgnoredAccesses&) = delete;
};

/// The ThreadSanitizer thread of a fiber. A default-constructed object is the thread that creates it.
class ThreadOf {
 public:
  ThreadOf() = default;
  ThreadOf(const ThreadOf& other) {
    const IgnoredAccesses own_memory;
    thread_ = other.thread_;
  }
  void create() { thread_ = __tsan_create_fiber(0); }
  void destroy() { __tsan_destroy_fiber(thread_); }
  /// Call this just before the fiber runs.
  [[gnu::no_sanitize_thread]] void enter() { __tsan_switch_to_fiber(thread_, __tsan_switch_to_fiber_no_sync); }
  /// All that the fiber did happens before a later acquire() of the place. For a fiber that will not run again.
  [[gnu::no_sanitize_thread]] void release_all(const void* place) {
    void* const running = __tsan_get_current_fiber();
    enter();
    __tsan_release(const_cast<void*>(place));
    __tsan_switch_to_fiber(running, __tsan_switch_to_fiber_no_sync);
  }

 private:
  void* thread_ = __tsan_get_current_fiber();
};

#else

inline void release(const void*) {}
inline void acquire(const void*) {}

struct ThreadOf {
  void create() {}
  void destroy() {}
  void enter() {}
  void release_all(const void*) {}
};

struct IgnoredAccesses {
  IgnoredAccesses() {}  // NOLINT: keeps the object from counting as unused
};

#endif

}  // namespace cavs::cuda::tsan
