#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "train/safetensors.h"

/// What the reader and the writer of safetensors agree on.
namespace cavs {

inline constexpr std::size_t kLengthBytes = 8;                        // little-endian length of the JSON header
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;         // as the reference implementation
inline constexpr std::string_view kHashMark = "\"content_hash\":\"";  // quotes in names and texts are escaped
inline constexpr std::string_view kHashBlank = "0000000000000000";

}  // namespace cavs
