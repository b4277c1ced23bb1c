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
  ThreadOf& operator=(const ThreadOf&) = default;
  void create() { thread_ = __tsan_create_fiber(0); }
  void destroy() { __tsan_destroy_fiber(thread_); }
  /// Call this just before the fiber runs.
  [[gnu::no_sanitize_thread]] void enter() { __tsan_switch_to_fiber(thread_, __tsan_switch_to_fiber_no_sync); }
  /// Destroys the thread of a fiber that has not ended. All that it did happens before a later acquire() of the place.
  /// @param ignores  true if it waits where its accesses are ignored
  [[gnu::no_sanitize_thread]] void stop(const void* place, bool ignores) {
    void* const running = __tsan_get_current_fiber();
    enter();
    if (ignores) __tsan_ignore_thread_end();
    __tsan_release(const_cast<void*>(place));
    __tsan_switch_to_fiber(running, __tsan_switch_to_fiber_no_sync);
    destroy();
  }

 private:
  void* thread_ = __tsan_get_current_fiber();
};

/// While an object exists, ThreadSanitizer sees the running code as another thread's, and ignores its accesses.
class RunsAs {
 public:
  [[gnu::no_sanitize_thread]] explicit RunsAs(ThreadOf other) {
    other.enter();
    __tsan_ignore_thread_begin();
  }
  [[gnu::no_sanitize_thread]] ~RunsAs() {
    __tsan_ignore_thread_end();
    __tsan_switch_to_fiber(own_, __tsan_switch_to_fiber_no_sync);
  }
  RunsAs(const RunsAs&) = delete;

 private:
  void* own_ = __tsan_get_current_fiber();
};

#else

inline void release(const void*) {}
inline void acquire(const void*) {}

struct ThreadOf {
  void create() {}
  void destroy() {}
  void enter() {}
  void stop(const void*, bool) {}
};

struct IgnoredAccesses {
  IgnoredAccesses() {}  // NOLINT: keeps the object from counting as unused
};

struct RunsAs {
  explicit RunsAs(const ThreadOf&) {}
};

#endif

}  // namespace cavs::cuda::tsan
