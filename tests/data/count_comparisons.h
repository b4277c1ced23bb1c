#pragma once

#include <cstdint>

namespace cavs {

/// How often memory was compared (memcmp) in this process so far, which is how equal strings are found: work that can
/// be counted where time would depend on the machine. Under a sanitizer, which has its own memcmp, nothing is counted.
std::int64_t comparisons();

/// How many bytes were searched for a character (memchr, which is how strings are searched) in this process so far.
std::int64_t bytes_searched();

}  // namespace cavs
