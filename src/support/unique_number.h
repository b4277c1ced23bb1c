#pragma once

#include <cstdint>

namespace cavs {

/// Another number at each call, from 1 on, in the whole process. Later ones are larger. Thread-safe.
std::uint64_t unique_number();

}  // namespace cavs
