#pragma once

#include <cstdint>

namespace cavs {

/// Number of calls of memcmp in this process so far. Strings are compared with memcmp, so this measures work
/// independently of the machine. A sanitizer has its own memcmp, so the count stays 0.
std::int64_t comparisons();

/// Number of bytes searched with memchr in this process so far.
std::int64_t bytes_searched();

}  // namespace cavs
