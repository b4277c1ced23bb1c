#pragma once

#include <cstdint>
#include <span>

#include "ir/function.h"

namespace cavs::inline v0_1 {

/// Hash of what decides how vertices can be batched: the names of the vertex functions, the states that they scatter,
/// and the states that they gather of which child. Nothing else, such as sizes or dropout, changes the hash.
std::uint64_t fingerprint_of(std::span<const Function> functions);

}  // namespace cavs::inline v0_1
