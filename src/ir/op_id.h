#pragma once

#include <cstdint>

namespace cavs::inline v0_1 {

/// The operators of the library, in the order of op_list.inc. `kDefined`: one from outside (DefinedOperator), or what
/// a test makes; its number is the last one, so that a new operator changes no other's.
enum class OpId : std::uint8_t {
#define CAVS_OP(Name) k##Name,
#include "ir/op_list.inc"
#undef CAVS_OP
  kDefined = 0xFF,
};

}  // namespace cavs::inline v0_1
