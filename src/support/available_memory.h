#pragma once

#include <cstdint>

namespace cavs::inline v0_1 {

/// Returns the number of bytes that could be allocated without swapping.
std::int64_t available_memory();

}  // namespace cavs::inline v0_1
