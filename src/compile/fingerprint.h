#pragma once

#include <cstdint>
#include <span>

#include "ir/function.h"

namespace cavs::inline v0_1 {

/// Tells models apart as far as batching goes: by the names of their vertex functions, the states that these scatter
/// and what they gather of which child. Sizes, dropout and the rest of the functions change nothing about it.
std::uint64_t fingerprint_of(std::span<const Function> functions);

}  // namespace cavs::inline v0_1
