#pragma once

#include <cstdint>

namespace cavs::inline v0_1 {

/// The operators of the library, in the order of op_list.inc. `kDefined` is an operator that a user (DefinedOperator)
/// or a test defines. It has the last number, which leaves the other numbers as in the list.
enum class OpId : std::uint8_t {
#define CAVS_OP(Name) k##Name,
#include "ir/op_list.inc"
#undef CAVS_OP
  kDefined = 0xFF,
};

}  // namespace cavs::inline v0_1
