#pragma once

#include <cstdint>
#include <functional>

#include "cuda/fibers/fiber_functions.h"

namespace cavs::cuda {

extern const FiberFunctions kFiberFunctions;

/// Runs `kernel` as `blocks` blocks of `threads` threads, all of them at the same time: a block is a thread, its
/// threads are fibers, which run in an order that the seed gives and change where they wait. Threads of a block that do
/// not meet where all must, and blocks that wait for ever, end the process with a message.
void launch_on_fibers(int blocks, int threads, std::uint64_t seed, const std::function<void()>& kernel);

}  // namespace cavs::cuda
