#pragma once

#include <atomic>
#include <cstdint>

namespace cavs {

/// Calls of operator new by any thread of the test program (allocations_test.cc replaces it).
extern std::atomic<std::int64_t> allocations;
/// So many allocations succeed, then one throws std::bad_alloc; below zero, none does.
extern std::atomic<std::int64_t> allocations_until_failure;

}  // namespace cavs
