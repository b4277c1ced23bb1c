#pragma once

#include <cstdint>
#include <string>

namespace cavs::inline v0_1 {

/// Formats a number of bytes: "512 bytes", "1.5 KiB", "31.2 MiB", "2.3 GiB".
std::string format_bytes(std::int64_t bytes);

}  // namespace cavs::inline v0_1
