#pragma once

// Stacks of fibers, which later launches reuse, because allocating one takes longer than a kernel.

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "cuda/fibers/thread_sanitizer.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace cavs::cuda {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kStackBytes = std::size_t{512} << 10;
#else
constexpr std::size_t kStackBytes = std::size_t{64} << 10;
#endif

/// A stack. ThreadSanitizer sees all fibers that run on it as one thread.
struct Stack {
  std::unique_ptr<char[]> memory;
  tsan::ThreadOf seen;
};

/// The stacks that fibers of earlier launches used.
class FreeStacks {
 public:
  FreeStacks() = default;
  FreeStacks(const FreeStacks&) = delete;
  ~FreeStacks() {
    for (Stack& stack : stacks_) stack.seen.destroy();
  }

  Stack take() {
    Stack stack;
    if (stacks_.empty()) {
      stack.memory = std::make_unique_for_overwrite<char[]>(kStackBytes);
      stack.seen.create();
      return stack;
    }
    stack = std::move(stacks_.back());
    stacks_.pop_back();
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(stack.memory.get(), kStackBytes);  // functions that never returned
#endif
    return stack;
  }
  /// @param stack  of a fiber that has ended
  void keep(Stack stack) { stacks_.push_back(std::move(stack)); }

 private:
  std::vector<Stack> stacks_;
};

}  // namespace cavs::cuda
