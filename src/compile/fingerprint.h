#pragma once

#include <cstdint>
#include <span>

#include "ir/function.h"

namespace cavs::inline v0_1 {

/// Returns a hash of the facts that decide how vertices can be batched: the names of the vertex functions, the states
/// that each scatters, and the states that each gathers, with the child. Nothing else, such as a size, changes the
/// hash.
std::uint64_t fingerprint_of(std::span<const Function> functions);

}  // namespace cavs::inline v0_1
