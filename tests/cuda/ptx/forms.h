#pragma once

#include <array>
#include <string_view>

#include "cuda/ptx/module.h"

namespace cavs::cuda::ptx {

/// Decoding of an instruction that each lane executes separately and that accesses no memory: the bytes of each operand
/// (0 for a predicate), written operands first.
struct Form {
  Handler run = nullptr;
  std::array<std::uint8_t, 6> bytes{};
  std::uint8_t count = 0;
};

/// Returns nullptr for an unknown instruction. Names include all modifiers, and unlisted names are unknown.
const Form* find_arithmetic(std::string_view opcode);
const Form* find_comparison(std::string_view opcode);
const Form* find_conversion(std::string_view opcode);

}  // namespace cavs::cuda::ptx
