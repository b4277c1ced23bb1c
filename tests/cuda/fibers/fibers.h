#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cuda/fibers/fiber_functions.h"
#include "cuda/launch_buffer.h"

namespace cavs::cuda {

extern const FiberFunctions kFiberFunctions;
inline constexpr int kAnyBytes = -1;

[[noreturn]] inline void give_up(const std::string& why) {
  std::fprintf(stderr, "fibers: %s\n", why.c_str());
  std::abort();
}

/// A callback before each access of a kernel to global or shared memory.
struct AccessWatcher {
  void (*look)(void* watcher, const void* at, int bytes, bool writes);
  void* watcher;
};

/// Runs `kernel` as `blocks` blocks of `threads` threads, all at the same time. Each thread is a fiber, which runs
/// on the calling thread until it waits. The seed chooses which fiber runs next.
/// @param memory  all memory that the kernel may access; nullptr to check no access
/// @param shared_bytes  size of a block's dynamic shared memory, which the kernel must request; kAnyBytes allows any
/// size
/// @return the faults, one per line, or nothing. The first fault that ptx::Memory finds ends the launch. Threads that
/// wait forever are faults too, for example at a barrier that not all threads of a block or warp reach.
std::vector<std::string> launch_on_fibers(int blocks, int threads, std::uint64_t seed,
                                          const std::span<const LaunchBuffer>* memory,
                                          const std::function<void()>& kernel, int shared_bytes,
                                          const AccessWatcher* watcher = nullptr);
inline std::vector<std::string> launch_on_fibers(int blocks, int threads, std::uint64_t seed,
                                                 std::span<const LaunchBuffer> memory,
                                                 const std::function<void()>& kernel, int shared_bytes = kAnyBytes) {
  return launch_on_fibers(blocks, threads, seed, &memory, kernel, shared_bytes);
}

/// Like launch_on_fibers() above, but only the watcher checks accesses, and a fault ends the process with a message.
inline void launch_on_fibers(int blocks, int threads, std::uint64_t seed, const std::function<void()>& kernel,
                             int shared_bytes = kAnyBytes, const AccessWatcher* watcher = nullptr) {
  const std::vector<std::string> faults =
      launch_on_fibers(blocks, threads, seed, nullptr, kernel, shared_bytes, watcher);
  if (!faults.empty()) give_up(faults.front());
}

}  // namespace cavs::cuda
