#pragma once

// What ThreadSanitizer is told of fibers: each is a thread to it, ordered by barriers and counters alone, so that it
// looks for races by itself. Nothing in builds without it.

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>

extern "C" {
void __tsan_ignore_thread_begin();  // NOLINT: of its run-time library, which has no header for it
void __tsan_ignore_thread_end();    // NOLINT
}
#endif

namespace cavs::cuda::tsan {

#if defined(__SANITIZE_THREAD__)

/// All that threads have done before they let others know has happened for those who learn from the same place.
inline void let_know(const void* place) { __tsan_release(const_cast<void*>(place)); }
inline void learn_from(const void* place) { __tsan_acquire(const_cast<void*>(place)); }

/// Accesses that are none of the kernel's.
class NotLookedAt {
 public:
  NotLookedAt() { __tsan_ignore_thread_begin(); }
  ~NotLookedAt() { __tsan_ignore_thread_end(); }
  NotLookedAt(const NotLookedAt&) = delete;
};

/// A fiber's thread. One that was not created is the thread that makes it.
class ThreadOf {
 public:
  ThreadOf() = default;
  ThreadOf(const ThreadOf& other) {
    const NotLookedAt own_memory;
    thread_ = other.thread_;
  }
  void create() { thread_ = __tsan_create_fiber(0); }
  void destroy() { __tsan_destroy_fiber(thread_); }
  /// Just before the fiber goes on.
  void enter() { __tsan_switch_to_fiber(thread_, __tsan_switch_to_fiber_no_sync); }

 private:
  void* thread_ = __tsan_get_current_fiber();
};

#else

inline void let_know(const void*) {}
inline void learn_from(const void*) {}

struct ThreadOf {
  void create() {}
  void destroy() {}
  void enter() {}
};

struct NotLookedAt {
  NotLookedAt() {}  // NOLINT: one that does nothing is not unused
};

#endif

}  // namespace cavs::cuda::tsan
