#pragma once

#include <cstdint>

namespace cavs {

/// Bytes that could be allocated without swapping.
std::int64_t available_memory();

}  // namespace cavs
