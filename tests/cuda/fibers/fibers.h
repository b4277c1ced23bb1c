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

/// Is told of each access to memory that is global or a block's, before it is made.
struct AccessWatcher {
  void (*look)(void* watcher, const void* at, int bytes, bool writes);
  void* watcher;
};

/// Runs `kernel` as `blocks` blocks of `threads` threads, all of them at the same time: each thread is a fiber of the
/// thread that calls, and changes where it waits for another that the seed gives.
/// @param memory  all that the kernel loads and stores; nullptr: no access is looked at
/// @param shared_bytes  of a block's dynamic shared memory, as the kernel must know; kAnyBytes: what it asks for
/// @return what is wrong, a line a fault; empty: nothing. The first thing that ptx::Memory finds ends the launch.
/// Besides:
///   threads that wait for ever, among them those that meet where not all of their block or warp do.
std::vector<std::string> launch_on_fibers(int blocks, int threads, std::uint64_t seed,
                                          const std::span<const LaunchBuffer>* memory,
                                          const std::function<void()>& kernel, int shared_bytes,
                                          const AccessWatcher* watcher = nullptr);
inline std::vector<std::string> launch_on_fibers(int blocks, int threads, std::uint64_t seed,
                                                 std::span<const LaunchBuffer> memory,
                                                 const std::function<void()>& kernel, int shared_bytes = kAnyBytes) {
  return launch_on_fibers(blocks, threads, seed, &memory, kernel, shared_bytes);
}

/// The same, looking at no access but for a watcher; a fault ends the process with a message.
inline void launch_on_fibers(int blocks, int threads, std::uint64_t seed, const std::function<void()>& kernel,
                             int shared_bytes = kAnyBytes, const AccessWatcher* watcher = nullptr) {
  const std::vector<std::string> faults =
      launch_on_fibers(blocks, threads, seed, nullptr, kernel, shared_bytes, watcher);
  if (!faults.empty()) give_up(faults.front());
}

}  // namespace cavs::cuda
